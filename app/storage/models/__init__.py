"""The tables, one aggregate a file."""

from app.storage.models.grading import Assignment, Grade, GradeEvent
from app.storage.models.material import Item, Output, Problem, Reference, System, Variant
from app.storage.models.measurement import Analysis, Measurement, MetricScore, Scoring
from app.storage.models.operations import Artifact, AuditEvent, Run, Worker
from app.storage.models.people import Annotator, FormResponse, Invitation, PersonalLink, SetupLink, SignIn, User
from app.storage.models.study import FormVersion, Instrument, Question, Study

__all__ = [
    "Analysis",
    "Annotator",
    "Artifact",
    "Assignment",
    "AuditEvent",
    "FormResponse",
    "FormVersion",
    "Grade",
    "GradeEvent",
    "Instrument",
    "Invitation",
    "Item",
    "Measurement",
    "MetricScore",
    "Output",
    "PersonalLink",
    "Problem",
    "Question",
    "Reference",
    "Run",
    "Scoring",
    "SetupLink",
    "SignIn",
    "Study",
    "System",
    "User",
    "Variant",
    "Worker",
]
