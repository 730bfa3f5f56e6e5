"""What the grades alone tell: how far annotators agree, how prompts were rated, whether the grades are enough.

Asked for here, measured by a run, read by pages.
"""

from app.services.agreement.parameters import AgreementParameters
from app.services.agreement.requests import request_agreement
from app.services.agreement.results import StoredMeasurement, all_documents, find_measurement

__all__ = ["AgreementParameters", "StoredMeasurement", "all_documents", "find_measurement", "request_agreement"]
