"""Metrics: functions that score an output against references, one metric a file.

A metric turns every output into *sufficient statistics* (a short vector of numbers); corpus scores of any
selection of problems follow from sums of these vectors alone. Resampling therefore needs no metric code.
"""

from app.metrics.protocol import Metric, MetricError, Segment, SegmentScores
from app.metrics.registry import available, create

__all__ = ["Metric", "MetricError", "Segment", "SegmentScores", "available", "create"]
