"""The tables, one aggregate a file."""

from app.storage.models.api import ApiToken, IdempotencyKey
from app.storage.models.benchmarks import Benchmark, BenchmarkProblem, ChangeScore, Execution
from app.storage.models.events import EventMark, StudyEvent, Webhook, WebhookDelivery
from app.storage.models.generation import Completion, Generation
from app.storage.models.grading import Assignment, Grade, GradeEvent
from app.storage.models.material import Item, Output, Problem, Reference, System, Variant, VariantScore
from app.storage.models.measurement import Analysis, Measurement, MetricScore, Scoring
from app.storage.models.operations import Artifact, AuditEvent, RateLimit, Run, Worker
from app.storage.models.people import (
    Annotator,
    FormResponse,
    Invitation,
    PersonalLink,
    SetupLink,
    SignIn,
    User,
    UserIdentity,
)
from app.storage.models.study import FormVersion, Instrument, Question, Study

__all__ = [
    "Analysis",
    "Annotator",
    "ApiToken",
    "Artifact",
    "Assignment",
    "AuditEvent",
    "Benchmark",
    "BenchmarkProblem",
    "ChangeScore",
    "Completion",
    "EventMark",
    "Execution",
    "FormResponse",
    "FormVersion",
    "Generation",
    "Grade",
    "GradeEvent",
    "IdempotencyKey",
    "Instrument",
    "Invitation",
    "Item",
    "Measurement",
    "MetricScore",
    "Output",
    "PersonalLink",
    "Problem",
    "Question",
    "RateLimit",
    "Reference",
    "Run",
    "Scoring",
    "SetupLink",
    "SignIn",
    "Study",
    "StudyEvent",
    "System",
    "User",
    "UserIdentity",
    "Variant",
    "VariantScore",
    "Webhook",
    "WebhookDelivery",
    "Worker",
]
