"""The choices of a sample in the decision log's words, so that whoever reads it can draw the same again."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.services.sampling.spec import FIELDS
from app.words import N_, gettext, human_number

COUNTS = {"prompts": ("unchanged", "changed"), "pairs": ("changed",), "outputs": ("outputs",)}
STRATA = {
    "transformation": N_("transformation"),
    "system": N_("system"),
    "score": N_("range of a metric’s score"),
}
NAMES = {
    "transformations": N_("Transformations"),
    "seeds": N_("Seeds of the transformations"),
    "systems": N_("Systems"),
}
FLAGS = {
    "with_references": N_("With the references of the drawn problems"),
    "only_these": N_("Other items that nobody has graded rest"),
}


def choices_in_words(spec: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each choice that says what was drawn. An event of an earlier version may tell less."""
    if "seed" in spec:
        yield _said(gettext("Seed"), spec["seed"])
    for name in COUNTS.get(str(spec.get("source")), ()):
        count = spec.get(name)
        yield _said(gettext(FIELDS[name][0]), gettext("all") if count is None else human_number(count))
    for name, title in NAMES.items():
        if chosen := spec.get(name):
            yield _said(gettext(title), ", ".join(map(str, chosen)))
    yield from _strata(spec)
    yield from _flags(spec)


def _strata(spec: Mapping[str, Any]) -> Iterator[str]:
    by = spec.get("by")
    if by not in STRATA:
        return
    yield _said(gettext("The same number from each"), gettext(STRATA[by]))
    if by == "score":
        yield _said(gettext("Metric"), spec.get("metric"))
        yield _said(gettext(FIELDS["bins"][0]), spec.get("bins"))


def _flags(spec: Mapping[str, Any]) -> Iterator[str]:
    """References are a choice of outputs alone; that nothing rests goes without saying."""
    if spec.get("source") == "outputs":
        yield _said(
            gettext(FLAGS["with_references"]), gettext("yes") if spec.get("with_references") else gettext("no")
        )
    if spec.get("only_these"):
        yield _said(gettext(FLAGS["only_these"]), gettext("yes"))


def _said(name: str, value: Any) -> str:
    return gettext("%(name)s: %(value)s.", name=name, value=value)
