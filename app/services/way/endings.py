"""What an annotator gets at the end: a code, and a way back to the platform that sent them."""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

from app.clock import utc_now
from app.services.study_options import Ending, options_of
from app.storage.models import Annotator, Study

PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"
MTURK_PATH = "/mturk/externalSubmit"


@dataclass(frozen=True, slots=True)
class Farewell:
    """``address`` is a link to follow; ``submit_to`` an address that wants ``fields`` posted."""

    code: str = ""
    address: str = ""
    submit_to: str = ""
    fields: dict[str, str] = field(default_factory=dict)


def keep(study: Study, annotator: Annotator) -> None:
    """Keep with the annotator how the work ended, when, and with which code; the first code of an ending stays."""
    before = (annotator.crowd or {}).get("ending")
    if before and before["as"] == annotator.stage:
        return
    code = _ending(study, annotator.stage).code
    ended: dict[str, Any] = {"as": annotator.stage, "code": code, "at": utc_now().strftime("%Y-%m-%dT%H:%M:%SZ")}
    annotator.crowd = {**(annotator.crowd or {}), "ending": ended}


def farewell_of(study: Study, annotator: Annotator) -> Farewell:
    """What to show; nothing before the end."""
    crowd = annotator.crowd or {}
    ended = crowd.get("ending")
    if not ended or ended["as"] != annotator.stage:
        return Farewell()
    code = ended["code"]
    address = _ending(study, annotator.stage).address
    if annotator.source == "mturk" and is_mturk(str(crowd.get("turkSubmitTo", ""))):
        fields = {"assignmentId": str(crowd.get("assignmentId", "")), "code": code, "ending": annotator.stage}
        return Farewell(code, submit_to=crowd["turkSubmitTo"].rstrip("/") + MTURK_PATH, fields=fields)
    if annotator.source == "prolific" and code and not address:
        address = PROLIFIC
    return Farewell(code, fill(address, code=code, worker_id=annotator.external_id or ""))


def fill(address: str, **values: str) -> str:
    """The address with its {names} filled in, made safe for an address."""
    for name, value in values.items():
        address = address.replace("{" + name + "}", quote(value, safe=""))
    return address


def is_mturk(address: str) -> bool:
    """Whether an address is Mechanical Turk's own."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    plain = parts.path in ("", "/") and not parts.query and not parts.fragment and "@" not in parts.netloc
    return parts.scheme == "https" and host.endswith(".mturk.com") and port in (None, 443) and plain


def _ending(study: Study, stage: str) -> Ending:
    ending: Ending = getattr(options_of(study).endings, stage)
    return ending
