"""CodeJury for notebooks and scripts.

from codejury import Client

client = Client("https://jury.example.org", token="cj_…")
study = client.study("my-study")
study.upload_outputs(frame)
scores = study.analyse().scores()
"""

from codejury.benchmarks import Benchmark, Generation
from codejury.client import Client
from codejury.connection import ApiError, ApiProblem
from codejury.results import Agreement, Analysis
from codejury.runs import Run, RunFailed
from codejury.studies import Event, Study

__all__ = [
    "Agreement",
    "Analysis",
    "ApiError",
    "ApiProblem",
    "Benchmark",
    "Client",
    "Event",
    "Generation",
    "Run",
    "RunFailed",
    "Study",
]
