"""Files of every format of import, with hostile texts in each field of theirs that holds text."""

import io
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.imports.helpers import zipped
from tests.imports.test_codegen_metrics import png
from tests.imports.test_layouts import texts
from tests.security.hostile import HIDDEN, MARK, TEXTS

FORMULAS = {f"a formula with {sign!r}": f"{sign}{MARK}+cmd|' /C calc'!A0" for sign in "=+-@＝＋－＠"}
# Names have no control characters; every other text may be a name.
ALL = {**TEXTS, **FORMULAS}
NAMES = [text for name, text in ALL.items() if text != HIDDEN["ANSI"]]
COUNT = len(NAMES)


def name(number: int, place: int) -> str:
    """The name of that place in that row: over all rows each text is in each place, and no two are alike."""
    return f"{NAMES[(number + place) % COUNT]} {number}"


def text(number: int, place: int) -> str:
    """The same for longer texts, which may hold anything and begin with it."""
    texts = list(ALL.values())
    return f"{texts[(number + place) % len(texts)]}\n\t{number}"


def plain(number: int) -> str:
    """A name that a file can bear, too."""
    return re.sub(r"[/\\:]", "|", name(number, 5))


LONG = [
    {
        "problem": name(number, 0),
        "system": name(number, 1),
        "intent": text(number, 0),
        "reference": text(number, 1),
        "context": text(number, 2),
        "tests": text(number, 3),
        "output": text(number, 4),
    }
    for number in range(COUNT)
]
WIDE = [
    {"problem": name(row, 0), "intent": text(row, 0)}
    | {name(number, 1): text(number, row) for number in range(COUNT)}
    for row in range(2)
]
VARIANTS = [
    {
        "problem": name(number, 0),
        "original": text(number, 0),
        "changed": text(number, 1),
        "transformation": f"{NAMES[number]} {number}"[:80],
        "category": f"{NAMES[-number]} {number}"[:40],
    }
    for number in range(COUNT)
]
GRADES = [
    {"problem": row["problem"], "system": row["system"], "worker": name(n, 2), "label": n % 5}
    for n, row in enumerate(LONG)
]
SCORES = [
    {
        "problem": row["problem"],
        "system": row["system"],
        "metric": "mine",
        "score": 0.5,
        "label": NAMES[3],
        "signature": NAMES[4],
    }
    for row in LONG
]


def parquet(rows: list[dict[str, Any]]) -> bytes:
    """The rows as Parquet."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


def with_images() -> bytes:
    """A zip whose images bear hostile names and descriptions."""
    rows = [row | {"image": f"{plain(n)}.png", "image_alt": name(n, 6)} for n, row in enumerate(LONG)]
    picture = png("green")
    return zipped({"table.csv": texts(rows)["csv"].encode()} | {f"{plain(n)}.png": picture for n in range(COUNT)})


def published() -> dict[str, bytes]:
    """A study folder as published, whose systems and annotators bear hostile names."""
    rows = [
        {"intent": text(row, 0), "snippet": [text(row, 1)]} | {plain(n): text(n, row) for n in range(8)}
        for row in range(COUNT)
    ]
    graded = [row | {f"grade-{plain(n)}": n % 5 for n in range(8)} for row in rows]
    return {"s/s.json": json.dumps(rows).encode(), "s/grader1.s.json": json.dumps(graded).encode()}


FILES: dict[str, tuple[str, Callable[[], bytes | str | Mapping[str, bytes]]]] = {
    **{f"long {kind}": ("outputs", lambda kind=kind: texts(LONG)[kind]) for kind in ("csv", "tsv", "json", "jsonl")},
    **{f"wide {kind}": ("outputs", lambda kind=kind: texts(WIDE)[kind]) for kind in ("csv", "json")},
    "parquet": ("outputs", lambda: parquet(LONG)),
    "zip with images": ("outputs", with_images),
    "variants": ("variants", lambda: texts(VARIANTS)["csv"]),
    "published": ("codegen-metrics", published),
}
