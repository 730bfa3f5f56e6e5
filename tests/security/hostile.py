"""Texts that would be more than text wherever somebody forgot to escape them.

Each carries MARK, and would leave an element, an attribute or a computed value behind that carries it as well.
"""

from typing import Any

from sqlalchemy import JSON, Column, String, select, update
from sqlalchemy.orm import Session

from app.services.questionnaires.forms import publish_form
from app.storage.base import Base
from app.storage.models import Annotator, AuditEvent, FormResponse, Study

MARK = "zqxj"

SCRIPTS = {
    "a script": f"<script>{MARK}=1</script>",
    "an image": f"<img src=x onerror={MARK}=1>",
    "a drawing": f"<svg/onload={MARK}=1>",
    "out of an attribute": f'" autofocus onfocus={MARK}=1 x="',
    "out of a quoted attribute": f"' onmouseover='{MARK}=1' x='",
    "out of a title": f"</title></textarea></script><i id={MARK}>",
    "out of a comment": f"--><i class={MARK}>",
    "a base": f'<base href="https://evil.example/{MARK}">',
    "a refresh": f'<meta http-equiv=refresh content="0;url=https://evil.example/{MARK}">',
    "a frame": f'<iframe srcdoc="<script>{MARK}=1</script>"></iframe>',
    "a form": f'<form action="https://evil.example/{MARK}"><button>press',
    "htmx": f'<b hx-get="/people" hx-trigger="load" data-{MARK}>x</b>',
    "a style": f"<style>body{{background:url(//evil.example/{MARK})}}</style>",
    "entities": f"&lt;script&gt;{MARK}=1&lt;/script&gt; &#60;i id={MARK}&#62;",
    "a link in Markdown": f"[{MARK}](javascript:{MARK})",
    "an image in Markdown": f"![{MARK}](x)<i id={MARK}>",
    "Plotly's links": f'<a href="javascript:{MARK}">x</a>',
}
TEMPLATES = {
    "Jinja": f"{MARK}{{{{7919*104729}}}}",
    "Jinja's statements": f"{MARK}{{% set x = 7919*104729 %}}{{{{ x }}}}",
    "a shell's": f"{MARK}${{7919*104729}}",
    "Python's": f"{MARK}{{0.__class__}} %(name)s %s %d",
}
# What a template would make of it: so long that no count or digest on a page holds it by chance.
COMPUTED = "829348951"
HIDDEN = {
    "right to left": f"{MARK}\u202egnp.exe\u202c",
    "isolates": f"{MARK}\u2066evil\u2069",
    "no width": f"{MARK}\u200bx",
    "ANSI": f"{MARK}\x1b[31mred\x1b]8;;https://evil.example\x07link",
}
TEXTS = {**SCRIPTS, **TEMPLATES, **HIDDEN}
# What the code itself reads: kinds, states, hashes, ids, addresses. Everything else is what people wrote.
KEPT = {
    *("key", "slug", "language", "state", "codebleu_variant", "email", "role", "password_hash", "public_id", "kind"),
    *("media_type", "sha256", "token_hash", "source", "queue", "unit", "issuer", "subject", "fingerprint", "stage"),
    *("ticket_hash", "question", "identity", "submission_id", "input_hash", "result", "pairs", "worker"),
    *("layout", "file_hash", "finish", "verdict", "prompt_mode", "strength"),
    *("instruments.name", "questions.name", "scorings.name", "scorings.signature", "workers.name"),
}
# Of JSON: what is in these fields, or in any field of these columns.
WORDS = {"label", "text", "agree", "decline", "help", "feedback", "title"}
FREE = {"crowd"}
APPEND_ONLY = {"audit_events", "grade_events", "form_versions", "form_responses"}


def poison(session: Session) -> list[str]:
    """Put hostile texts into all that people wrote, of all that is stored; the columns that have some now."""
    done = []
    for table in Base.metadata.sorted_tables:
        if table.name in APPEND_ONLY:
            continue
        for column in table.columns:
            if {column.name, f"{table.name}.{column.name}"} & KEPT:
                continue
            if isinstance(column.type, String | JSON):
                done += [f"{table.name}.{column.name}"] * _poison_column(session, column)
    for study in session.scalars(select(Study)).all():
        _poison_forms(session, study)
    details = {"label": packed(0, 4000), "title": packed(1, 4000), "reason": packed(2, 4000)}
    for action in ("study made", "invitation made", "annotator excluded", "an action of tomorrow"):
        session.add(AuditEvent(actor=packed(3, 300), action=action, details=details))
    return done


def _poison_forms(session: Session, study: Study) -> None:
    """New versions, to which the study's annotators have agreed already."""
    field = {"name": "years", "label": packed(4, 200), "kind": "number", "most": 60}
    publish_form(session, "test", study, "profile", {"fields": [field]})
    consent = publish_form(session, "test", study, "consent", {"text": packed(5, 4000)})
    assert consent is not None
    for annotator in session.scalars(select(Annotator).where(Annotator.study_id == study.id)):
        agreed = {"agreed": True}
        session.add(FormResponse(annotator_id=annotator.id, form_version_id=consent.id, answers=agreed))


def _poison_column(session: Session, column: Column[Any]) -> int:
    key = next(iter(column.table.primary_key.columns))
    rows = session.execute(select(key, column).where(column.is_not(None))).all()
    for number, (row, value) in enumerate(rows):
        if isinstance(column.type, JSON):
            bad = _poisoned(value, number, is_free=column.name in FREE)
        else:
            bad = packed(number, getattr(column.type, "length", None) or 4000)
        session.execute(update(column.table).where(key == row).values({column.name: bad}))
    return bool(rows)


def _poisoned(value: Any, number: int, *, is_free: bool) -> Any:
    if isinstance(value, dict):
        return {
            name: packed(number, 200)
            if isinstance(each, str) and (is_free or name in WORDS)
            else _poisoned(each, number, is_free=is_free)
            for name, each in value.items()
        }
    return [_poisoned(each, number, is_free=is_free) for each in value] if isinstance(value, list) else value


def packed(number: int, most: int) -> str:
    """As many of the texts as there is room for, beginning with another one each time; no two alike."""
    texts = list(TEXTS.values())
    start = number % len(texts)
    packed = f"{number} "
    for text in [*texts[start:], *texts[:start]]:
        if len(packed) + len(text) + 1 > most:
            break
        packed += f"{text} "
    return packed.strip()
