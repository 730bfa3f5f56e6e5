"""Which automatic check tells what people say of changed prompts, in a sentence that claims no more than is known."""

from collections.abc import Sequence

from app.charts.measured import Document
from app.charts.reasons import reason_in_words
from app.charts.tables import number
from app.charts.words import join, percent, sentence
from app.statistics.estimates import FEWEST
from app.statistics.significance import LEVEL
from app.words import N_, gettext, human_number

CHECKS = {
    "cosine": N_("Embedding cosine"),
    "cosine_docstring": N_("Cosine of docstrings"),
    "cosine_name": N_("Cosine of names’ words"),
    "cosine_code": N_("Cosine of code"),
    "codebleu_syntax": N_("CodeBLEU syntax"),
    "codebleu_dataflow": N_("CodeBLEU data flow"),
}
CHANCE = 0.5


def check_label(check: str) -> str:
    """In the reader's language, where it is one of the paper's."""
    return gettext(CHECKS[check]) if check in CHECKS else check


def reading(order: Sequence[Document], differences: Sequence[Document], question: str) -> str:
    """Which check comes nearest to people, or that none can be said to. order: by AUC, the highest first."""
    known = [each for each in order if each["auc"]["value"] is not None]
    if not known:
        nothing = gettext("no automatic check of these changes was stored when this was measured")
        reason = reason_in_words(order[0]["auc"]["reason"]) if order else nothing
        return sentence(gettext("No check can be held against people: %(reason)s", reason=reason))
    telling = [each for each in known if tells(each)]
    parts = [_best(telling[0], known, differences, question) if telling else _none(known, question)]
    few = [each for each in known if has_few(each)]
    chance = [each for each in known if not tells(each) and each not in few]
    if telling and chance:
        parts.append(gettext("Not told from chance: %(checks)s", checks=_names(chance)))
    if few and (telling or chance):
        parts.append(gettext("Too few items to say: %(checks)s", checks=_names(few)))
    return " ".join(map(sentence, parts))


def _names(checks: Sequence[Document]) -> str:
    return join([check_label(each["check"]) for each in checks])


def tells(check: Document) -> bool:
    """Whether it orders items as people do more often than chance does: its interval lies above 0.5, and there are
    items enough that the interval can be believed."""
    low = check["auc"]["low"]
    return not has_few(check) and low is not None and low > CHANCE


def has_few(check: Document) -> bool:
    """Whether there are too few items of either kind for an interval to be believed."""
    return bool(min(check["unnatural"], check["items"] - check["unnatural"]) < FEWEST)


def _none(known: Sequence[Document], question: str) -> str:
    """No check tells what people say; how near the best of them comes, where there are items enough."""
    enough = [each for each in known if not has_few(each)]
    if not enough:
        most = max(known, key=lambda each: each["items"])
        counts = {"faulty": human_number(most["unnatural"]), "items": human_number(most["items"])}
        return gettext(
            "Too few items to say which check tells what people say: they find fault with %(faulty)s of %(items)s, "
            "and it takes at least %(fewest)s of either kind",
            fewest=human_number(FEWEST),
            **counts,
        )
    best = enough[0]
    values = {
        "check": check_label(best["check"]),
        "share": percent(best["auc"]["value"], 1),
        "interval": _interval(best["auc"]),
    }
    if question == "similarity":
        return gettext(
            "No check tells what people find changed in meaning: none is told from chance. The best, %(check)s, "
            "scores such an item lower than another one in %(share)s%(interval)s",
            **values,
        )
    return gettext(
        "No check tells what people call unnatural: none is told from chance. The best, %(check)s, scores such an "
        "item lower than another one in %(share)s%(interval)s",
        **values,
    )


def _best(best: Document, known: Sequence[Document], differences: Sequence[Document], question: str) -> str:
    values = {
        "check": check_label(best["check"]),
        "share": percent(best["auc"]["value"], 1),
        "interval": _interval(best["auc"]),
        "rest": _beside(best, known, differences),
    }
    if question == "similarity":
        return gettext(
            "%(check)s comes nearest to people: of an item whose meaning they find changed and another one it scores "
            "the first lower in %(share)s%(interval)s%(rest)s",
            **values,
        )
    return gettext(
        "%(check)s comes nearest to people: of an item that they call unnatural and another one it scores the first "
        "lower in %(share)s%(interval)s%(rest)s",
        **values,
    )


def _interval(cell: Document) -> str:
    if cell["low"] is None:
        return gettext(" (50 %% is chance)")
    low, high = (number(100 * cell[end], 1) for end in ("low", "high"))
    return gettext(" (95 %% interval %(low)s to %(high)s; 50 %% is chance)", low=low, high=high)


def _beside(best: Document, known: Sequence[Document], differences: Sequence[Document]) -> str:
    """The next one, and whether the two can be told apart."""
    second = next((each for each in known if each is not best and not has_few(each)), None)
    if second is None:
        return ""
    found = _difference(differences, best["check"], second["check"])
    values = {"other": check_label(second["check"]), "share": percent(second["auc"]["value"], 1)}
    if found is not None and not found["items"]:
        return gettext("; next comes %(other)s, of other prompts (%(share)s)", **values)
    if found is not None and is_told_apart(found):
        return gettext(", significantly more often than %(other)s (%(share)s)", **values)
    return gettext(", which is not significantly more often than %(other)s (%(share)s)", **values)


def _difference(differences: Sequence[Document], a: str, b: str) -> Document | None:
    return next((each for each in differences if {each["first"], each["second"]} == {a, b}), None)


def is_told_apart(found: Document) -> bool:
    cell = found["difference"]
    if cell["low"] is None or found["p"] is None:
        return False
    return bool((cell["low"] > 0 or cell["high"] < 0) and found["p"] <= LEVEL)
