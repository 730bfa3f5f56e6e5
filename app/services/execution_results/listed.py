"""The outputs on which tests and people differ, with their code, for a page to open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.storage.models import Output, Problem

Document = Mapping[str, Any]
MOST_SHOWN = 50  # of a list; files hold all


@dataclass(frozen=True, slots=True)
class ListedOutput:
    """One line of a list: what the document says of the output, what was asked, and the code.

    Where the output continues a piece of code, the code is both, and says by itself what was asked.
    """

    about: Document
    intent: str
    text: str


def listed_outputs(session: Session, document: Document) -> dict[str, list[ListedOutput]]:
    """The first of each list."""
    lists = {name: document.get(name, [])[:MOST_SHOWN] for name in ("passes_but_low", "fails_but_high")}
    wanted = [each["output"] for listed in lists.values() for each in listed]
    rows = session.execute(
        select(Output.id, Problem.intent, Problem.code_before, Output.text)
        .join(Problem, Problem.id == Output.problem_id)
        .where(Output.id.in_(wanted))
    )
    found = {number: (intent, before, text) for number, intent, before, text in rows}
    return {name: [_listed(each, *found[each["output"]]) for each in listed] for name, listed in lists.items()}


def _listed(about: Document, intent: str | None, before: str | None, text: str) -> ListedOutput:
    return ListedOutput(about, "" if before else intent or "", (before or "") + text)
