"""Dashboards: stored results as pages show them. Nothing is computed here that a run has not stored."""

from app.services.dashboards.analyses import AnalysisEntry, analysis_history, choose_analysis, pending_run
from app.services.dashboards.departures import FEW_PROBLEMS, departures
from app.services.dashboards.exhibits import PAGES, find_table, page_exhibits
from app.services.dashboards.progress import grading_progress, recent_progress
from app.services.dashboards.readiness import Readiness, check_readiness

__all__ = [
    "FEW_PROBLEMS",
    "PAGES",
    "AnalysisEntry",
    "Readiness",
    "analysis_history",
    "check_readiness",
    "choose_analysis",
    "departures",
    "find_table",
    "grading_progress",
    "page_exhibits",
    "pending_run",
    "recent_progress",
]
