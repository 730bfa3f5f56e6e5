"""Benchmarks: imported from their usual files, checked against their own solutions, made into studies."""

from app.services.benchmarks.importing import import_benchmark, read_upload
from app.services.benchmarks.reading import LAYOUTS, RUNNABLE, read_benchmark
from app.services.benchmarks.rows import BenchmarkFile, BenchmarkRow
from app.services.benchmarks.storing import Imported, find_benchmark, problems_of, store_benchmark

__all__ = [
    "LAYOUTS",
    "RUNNABLE",
    "BenchmarkFile",
    "BenchmarkRow",
    "Imported",
    "find_benchmark",
    "import_benchmark",
    "problems_of",
    "read_benchmark",
    "read_upload",
    "store_benchmark",
]
