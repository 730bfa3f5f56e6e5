"""Behind pass@k: what was run of each model, two models side by side, and the problems one by one."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.charts.exhibit import Exhibit
from app.charts.pass_at_k_models import is_confirmed, leads_in_draws
from app.charts.tables import Cell, Column, Measured, PValue, Share, Table, number
from app.charts.verdicts import counts_in_words, verdict_in_words
from app.charts.words import join, sentence
from app.words import gettext, human_number, ngettext

Document = Mapping[str, Any]
AGAINST = ("failed", "error", "timeout", "memory", "blocked")


def what_was_run(document: Document) -> Exhibit:
    """Settings, and how many samples of each have a verdict: what is missing is told, not averaged away."""
    rows = [(model, each) for model in document["models"] for each in model["generations"]]
    seen = [name for name in AGAINST if any(each["outcomes"].get(name) for _, each in rows)]
    columns = (
        Column("model", gettext("Model"), is_text=True),
        Column("temperature", gettext("Temperature"), decimals=2),
        Column("top_p", "top-p", decimals=2),
        Column("samples", gettext("Samples"), gettext("of each problem"), decimals=0),
        Column("seed", gettext("Seed"), is_text=True),
        Column("counted", gettext("With a verdict"), "%", 1),
        Column("passed", verdict_in_words("passed"), decimals=0),
        *(Column(name, verdict_in_words(name), decimals=0) for name in seen),
        Column("incomplete", gettext("Incomplete"), decimals=0),
    )
    table = Table(
        "samples",
        gettext("What was run"),
        gettext(
            "A sample is incomplete where it was not written or not executed yet, or where the sandbox failed. "
            "It counts neither for nor against the model."
        ),
        columns,
        tuple(_run_row(model, each, seen) for model, each in rows),
    )
    return Exhibit("samples", gettext("What was run"), completeness(document), table)


def _run_row(model: Document, each: Document, seen: Sequence[str]) -> tuple[Cell, ...]:
    outcomes, sampling = each["outcomes"], model["sampling"]
    return (
        Cell(model["name"], link=f"/generations/{each['generation']}"),
        Cell(sampling.get("temperature")),
        Cell(sampling.get("top_p")),
        Cell(model["samples"]),
        Cell(str(each["seed"])),
        Cell(Share(each["samples_counted"], each["samples_expected"])),
        *(Cell(outcomes.get(name, 0)) for name in ("passed", *seen)),
        Cell(sum(each["incomplete"].values())),
    )


def completeness(document: Document) -> str:
    """Whose samples lack a verdict, and why, and what follows for pass@k; or that none does."""
    found = lacking_verdicts(document)
    if not any(each["incomplete"] for model in document["models"] for each in model["generations"]):
        return found
    end = gettext("pass@k is that of the other samples until these are there")
    return " ".join([found, sentence(end)])


def lacking_verdicts(document: Document) -> str:
    """Whose samples lack a verdict, and why; or that none does."""
    every = [(model["name"], each) for model in document["models"] for each in model["generations"]]
    lacking = [(name, each) for name, each in every if each["incomplete"]]
    if not lacking:
        total = sum(each["samples_counted"] for _, each in every)
        return sentence(gettext("All %(total)s samples have a verdict", total=human_number(total)))
    parts = [
        gettext(
            "Of %(model)s %(missing)s of %(total)s samples have no verdict (%(why)s)",
            model=name,
            missing=human_number(sum(each["incomplete"].values())),
            total=human_number(each["samples_expected"]),
            why=counts_in_words(each["incomplete"]),
        )
        for name, each in lacking
    ]
    return sentence("; ".join(parts))


def compared_models(found: Document) -> Exhibit:
    """Two models' pass@1 by the paired bootstrap over problems."""
    a, b, comparison = found["a"], found["b"], found["comparison"]
    columns = (
        Column("first", "A", is_text=True),
        Column("second", "B", is_text=True),
        Column("difference", "A − B", gettext("points of pass@1"), 1),
        Column("p_greater", "P(A > B)", decimals=3, term="p-greater"),
        Column("p_bootstrap", gettext("p, bootstrap"), decimals=4, term="p-bootstrap"),
        Column("p_randomisation", gettext("p, randomisation"), decimals=4, term="p-randomisation"),
        Column("problems", gettext("Problems"), decimals=0),
        Column("left_out", gettext("Left out"), decimals=0),
    )
    title = gettext("Two models compared")
    if comparison is None:
        reason = gettext("%(a)s and %(b)s can’t be compared: no problem has a counted sample of both", a=a, b=b)
        return Exhibit("compare", title, sentence(reason), Table("compare", title, "", columns, ()))
    draws = comparison["draws"]
    row = (
        Cell(a),
        Cell(b),
        Cell(Measured(comparison["difference"], comparison["low"], comparison["high"])),
        Cell(comparison["p_a_greater"]),
        Cell(PValue(comparison["p_bootstrap"], draws)),
        Cell(PValue(comparison["p_randomisation"], draws)),
        Cell(comparison["problems"]),
        Cell(comparison["problems_left_out"]),
    )
    caption = gettext(
        "Both models on the same %(draws)s resamples of the problems; +up −down to the ends of the 95 %% interval of "
        "the difference. Problems of which either has no counted sample are left out.",
        draws=human_number(draws),
    )
    return Exhibit("compare", title, _who_solves_more(found), Table("compare", title, caption, columns, (row,)))


def _who_solves_more(found: Document) -> str:
    comparison = found["comparison"]
    difference = comparison["difference"]
    if difference == 0:
        return sentence(gettext("%(a)s and %(b)s solve equally many problems", a=found["a"], b=found["b"]))
    more, less = (found["a"], found["b"]) if difference > 0 else (found["b"], found["a"])
    words = {"more": more, "less": less, "points": number(abs(difference), 1)}
    if not any(map(leads_in_draws, (comparison["p_a_greater"], found["p_b_greater"]))):
        text = gettext("%(more)s solves %(points)s points more than %(less)s, which can be chance", **words)
    elif not is_confirmed(comparison):
        text = gettext(
            "%(more)s solves %(points)s points more than %(less)s: more than chance by the bootstrap, but not by "
            "randomisation, which holds for few problems, too",
            **words,
        )
    else:
        text = gettext("%(more)s solves %(points)s points more than %(less)s, which is more than chance", **words)
    return sentence(text)


def problem_by_problem(document: Document, address: str) -> Exhibit:
    """Of each problem the share of each model's samples that pass. address: of the problems' benchmark."""
    names = [model["name"] for model in document["models"]]
    columns = (
        Column("problem", gettext("Problem"), is_text=True),
        *(Column(name, name, "%", 0) for name in names),  # names differ, so that they name columns of files too
    )
    rows = tuple(_problem_row(document, place, each, address) for place, each in enumerate(document["problems"]))
    title = gettext("Problem by problem")
    caption = gettext("The share of each model’s counted samples that pass.")
    return Exhibit("problems", title, _solved(document), Table("problems", title, caption, columns, rows))


def _problem_row(document: Document, place: int, each: Document, address: str) -> tuple[Cell, ...]:
    shares = zip(document["models"], each["passed"], each["samples"], strict=True)
    link = f"{address}/problems/{place + 1}"
    return (
        Cell(each["problem"], link=link),
        *(Cell(Share(passed, samples), link=link + _of(model)) for model, passed, samples in shares),
    )


def _of(model: Document) -> str:
    """Narrows a problem's page to one generation; that of several seeds shows all."""
    generations = model["generations"]
    return f"?generation={generations[0]['generation']}" if len(generations) == 1 else ""


def _solved(document: Document) -> str:
    """How many problems every model solves in some sample, and how many none does; canonical solutions are none."""
    names = [model["is_canonical"] for model in document["models"]]
    ranked = [place for place, is_canonical in enumerate(names) if not is_canonical] or range(len(names))
    passed = [[each["passed"][place] for place in ranked] for each in document["problems"]]
    everyone, nobody = sum(map(all, passed)), sum(not any(each) for each in passed)
    if nobody == len(passed):
        return gettext("No problem is solved by any model.")
    if everyone == len(passed):
        return gettext("Every problem is solved by every model in some sample.")
    return sentence(_solved_by_some(everyone, nobody, len(passed)))


def _solved_by_some(everyone: int, nobody: int, total: int) -> str:
    if not everyone and not nobody:
        return gettext("No problem is solved by every model, but each by some model")
    if not everyone:
        return ngettext(
            "No problem is solved by every model, and %(count)s of %(total)s is solved by none",
            "No problem is solved by every model, and %(count)s of %(total)s are solved by none",
            nobody,
            count=human_number(nobody),
            total=human_number(total),
        )
    solved = ngettext(
        "%(count)s of %(total)s problems is solved by every model in some sample",
        "%(count)s of %(total)s problems are solved by every model in some sample",
        everyone,
        count=human_number(everyone),
        total=human_number(total),
    )
    unsolved = gettext("%(count)s by none", count=human_number(nobody)) if nobody else gettext("each by some model")
    return join([solved, unsolved])
