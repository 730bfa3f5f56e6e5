"""Which problems perturbed prompts break most, and single samples that were right before, to be opened."""

from collections.abc import Callable, Sequence

from app.charts.exhibit import Exhibit, Figure
from app.charts.measured import Document
from app.charts.robustness_models import category_in_sentence, category_label, transformation_label
from app.charts.tables import Cell, Column, Share, Table, number
from app.charts.theme import LONGEST_NARROW, axis, figure, plain, short
from app.charts.words import join, percent, sentence
from app.words import gettext, human_number, ngettext, pgettext

MOST_DRAWN, MOST_NAMED = 20, 6
ROW_PX = 24


def broken_problems(
    model: str, category: str, broken: Sequence[Document], problems: int, link: Callable[[str], str] | None = None
) -> Exhibit:
    """broken: of BrokenProblem, heaviest first, out of so many problems; link: where a problem is shown."""
    title = gettext("What breaks most: %(model)s, %(category)s", model=model, category=category_in_sentence(category))
    return Exhibit(
        f"robustness-breaks-{category}",
        title,
        _reading(model, category, broken, problems),
        _table(model, category, title, broken, link),
        _figure(broken[:MOST_DRAWN]) if broken else None,
    )


def _reading(model: str, category: str, broken: Sequence[Document], problems: int) -> str:
    changes = category_in_sentence(category)
    if not broken:
        return gettext(
            "No %(category)s change breaks a problem that %(model)s solves.", category=changes, model=model
        )
    text = ngettext(
        "%(category)s changes break %(count)s of %(problems)s problem of %(model)s in at least one sample",
        "%(category)s changes break %(count)s of %(problems)s problems of %(model)s in at least one sample",
        problems,
        category=category_label(category),
        count=human_number(len(broken)),
        problems=human_number(problems),
        model=model,
    )
    always = sum(each["weight"] >= 1 for each in broken)
    first = broken[0]
    top = gettext(
        "the first is %(problem)s, of whose right samples %(share)s fail on average over the transformations",
        problem=first["problem"],
        share=percent(first["weight"], 1),
    )
    if always:
        top = ngettext(
            "%(count)s breaks under every change, in every sample",
            "%(count)s break under every change, in every sample",
            always,
            count=human_number(always),
        )
    return sentence(f"{text}; {top}")


def _table(
    model: str, category: str, title: str, broken: Sequence[Document], link: Callable[[str], str] | None
) -> Table:
    columns = (
        Column("problem", gettext("Problem"), is_text=True),
        Column("samples_lost", gettext("Samples lost"), gettext("%%, mean over transformations"), 1),
        Column("breaking", gettext("Breaking prompts"), gettext("%% of changed ones"), 0),
        Column("passing", gettext("Right before"), gettext("%% of samples"), 0),
        Column("by", gettext("Broken by"), is_text=True),
    )
    rows = tuple(
        (
            Cell(each["problem"], link=link(each["problem"]) if link else ""),
            Cell(100 * each["weight"]),
            Cell(Share(each["breaking"], each["changed"])),
            Cell(Share(each["passing"], each["samples"])),
            _by(each["by"]),
        )
        for each in broken
    )
    caption = gettext(
        "Samples lost: of the samples that pass on the nominal prompt the share that fail on changed ones; each "
        "transformation counts once, however many seeds it has. Breaking prompts: those under which at least one of "
        "these samples fails."
    )
    name = f"robustness-breaks-{category}"
    return Table(name, title, caption, columns, rows, only_in_csv=_whose(model, category))


def _whose(model: str, category: str) -> tuple[tuple[str, str], ...]:
    """What the title says, for a file that has none."""
    return ("model", model), ("category", category_label(category))


def _by(transformations: Sequence[str]) -> Cell:
    """The first of them; in a CSV file all."""
    labels = [transformation_label(each) for each in transformations]
    whole = ", ".join(labels)
    if len(labels) <= MOST_NAMED:
        return Cell(whole)
    rest = gettext("%(count)s more", count=human_number(len(labels) - MOST_NAMED))
    return Cell(join([", ".join(labels[:MOST_NAMED]), rest]), in_csv=whole)


def _figure(broken: Sequence[Document]) -> Figure:
    places = list(range(len(broken)))
    bar = {
        "type": "bar",
        "orientation": "h",
        "x": [round(100 * each["weight"], 4) for each in broken],
        "y": places,
        "width": 0.7,
        "marker": {"color": "@series-2", "line": {"width": 0}},
        "hoverinfo": "text",
        "hovertext": [_words(each) for each in broken],
    }
    return figure(
        [bar],
        height=ROW_PX * len(broken) + 80,
        margin={"l": 8, "r": 16, "t": 8, "b": 8},
        xaxis=axis(
            gettext("Samples lost, %% of those right before"),
            range=[0, min(101.0, 108 * broken[0]["weight"])],
            zeroline=True,
        ),
        yaxis=axis(
            tickvals=places,
            ticktext=[short(each["problem"]) for each in broken],
            range=[len(broken) - 0.4, -0.6],
            showgrid=False,
        ),
        narrow={
            "layout": {
                "xaxis": {"title": {"text": gettext("Samples lost, %%")}},
                "yaxis": {"ticktext": [short(each["problem"], LONGEST_NARROW) for each in broken]},
            }
        },
    )


def _words(each: Document) -> str:
    return ngettext(
        "%(problem)s: %(share)s %% of right samples lost, %(breaking)s of %(changed)s changed prompt breaks it",
        "%(problem)s: %(share)s %% of right samples lost, %(breaking)s of %(changed)s changed prompts break it",
        each["changed"],
        problem=plain(each["problem"]),
        share=number(100 * each["weight"], 1),
        breaking=human_number(each["breaking"]),
        changed=human_number(each["changed"]),
    )


def flipped_samples(
    model: str,
    category: str,
    flipped: Document,
    *,
    is_right_before: bool = True,
    link: Callable[[Document], str] | None = None,
) -> Exhibit:
    """flipped: of FlippedSamples; link: where both completions of a FlippedSample stand side by side."""
    columns = (
        Column("problem", gettext("Problem"), is_text=True),
        Column("transformation", gettext("Transformation"), is_text=True),
        Column("seed", gettext("Seed"), decimals=0),
        Column("sample", pgettext("a completion among several", "Sample"), decimals=0),
    )
    rows = tuple(
        (
            Cell(each["problem"], link=link(each) if link else ""),
            Cell(transformation_label(each["transformation"])),
            Cell(each["seed"]),
            Cell(each["sample"] + 1),
        )
        for each in flipped["shown"]
    )
    title = gettext("Right before, wrong after") if is_right_before else gettext("Wrong before, right after")
    name = f"robustness-lost-{category}" if is_right_before else f"robustness-gained-{category}"
    head = _head(model, category, is_right_before=is_right_before)
    table = Table(name, head, _shown_of(flipped), columns, rows, only_in_csv=_whose(model, category))
    return Exhibit(name, title, _flips(model, category, flipped, is_right_before=is_right_before), table)


def _head(model: str, category: str, *, is_right_before: bool) -> str:
    """The title where it stands by itself, in a file of many tables."""
    values = {"model": model, "category": category_in_sentence(category)}
    if is_right_before:
        return gettext("Right before, wrong after: %(model)s, %(category)s", **values)
    return gettext("Wrong before, right after: %(model)s, %(category)s", **values)


def _shown_of(flipped: Document) -> str:
    shown, total = len(flipped["shown"]), flipped["total"]
    start = gettext("Pairs of a sample of the nominal prompt and the same sample of a perturbed one.")
    if shown == total:
        return start
    return f"{start} " + gettext(
        "The first %(shown)s of %(total)s.", shown=human_number(shown), total=human_number(total)
    )


def _flips(model: str, category: str, flipped: Document, *, is_right_before: bool) -> str:
    count = flipped["total"]
    values = {"count": human_number(count), "model": model, "category": category_in_sentence(category)}
    if is_right_before:
        return ngettext(
            "%(count)s sample of %(model)s that passes on the nominal prompt fails after a %(category)s change.",
            "%(count)s samples of %(model)s that pass on the nominal prompt fail after a %(category)s change.",
            count,
            **values,
        )
    return ngettext(
        "%(count)s sample of %(model)s that fails on the nominal prompt passes after a %(category)s change.",
        "%(count)s samples of %(model)s that fail on the nominal prompt pass after a %(category)s change.",
        count,
        **values,
    )
