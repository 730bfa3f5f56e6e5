"""Analyses: which metrics tell systems apart as people do. Asked for here, computed by a run, read by pages."""

from app.services.analysis.parameters import AnalysisParameters
from app.services.analysis.requests import request_analysis
from app.services.analysis.results import StoredAnalysis, find_analysis, latest_analysis

__all__ = ["AnalysisParameters", "StoredAnalysis", "find_analysis", "latest_analysis", "request_analysis"]
