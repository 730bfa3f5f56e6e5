"""Small folders as ReCode releases them, made by the tests."""

import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import Any

Rows = list[dict[str, Any]]

NOMINAL: Rows = [
    {
        "task_id": f"HumanEval/{n}",
        "prompt": f'def do_{n}(x):\n    """Do {n}."""\n',
        "entry_point": f"do_{n}",
        "canonical_solution": f"    y = x + {n}\n    return y\n" if n else "    return x if x < 1 else do_0(x - 1)\n",
        "test": f"def check(candidate):\n    assert candidate(0) == {n}\n    assert do_{n}(0) == {n}\n",
    }
    for n in range(2)
]


def halved(row: dict[str, Any]) -> dict[str, Any]:
    """With the first line of two in the prompt."""
    lines = row["canonical_solution"].splitlines(keepends=True)
    half = len(lines) // 2
    moved = {"prompt": row["prompt"] + "".join(lines[:half]), "canonical_solution": "".join(lines[half:])}
    return row | moved | {"partial": None if half == 0 else "…"}


def renamed(row: dict[str, Any]) -> dict[str, Any]:
    """The function is called otherwise; solution and tests were forgotten."""
    name = row["entry_point"].replace("_", "")
    return row | {"prompt": row["prompt"].replace(row["entry_point"], name), "entry_point": name}


@dataclass
class Folder:
    """A released folder by its files; tests spoil what they like."""

    files: dict[str, Any] = field(default_factory=dict)

    def zipped(self) -> bytes:
        """As it is uploaded."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in self.files.items():
                text = content if isinstance(content, str) else "".join(json.dumps(row) + "\n" for row in content)
                archive.writestr(name, text)
        return packed.getvalue()


CHANGED = "perturbed_finalized/humaneval/full"
RENAMED = f"{CHANGED}/func_name/humaneval_FuncRenameCamelCase_s0.jsonl"
LOUD = f"{CHANGED}/nlaugmenter/humaneval_ChangeCharCase_s1.jsonl"
TABS = f"{CHANGED}/format/humaneval_tab_indent_s0.jsonl"
PARTIAL = "nominal/humaneval_partial.jsonl"
WHOLE = "nominal/HumanEval.jsonl"


def make_folder() -> Folder:
    """Two problems, three transformations."""
    loud = [row | {"prompt": row["prompt"].replace("Do", "DO"), "seed": 1, "perturbed": True} for row in NOMINAL]
    loud[1]["prompt"] = NOMINAL[1]["prompt"]
    halves = [halved(row) for row in NOMINAL]
    tabs = [row | {"prompt": row["prompt"].replace("    ", "\t")} for row in halves]
    return Folder(
        {
            WHOLE: NOMINAL,
            PARTIAL: halves,
            RENAMED: [renamed(row) for row in NOMINAL],
            LOUD: loud,
            TABS: tabs,
            "README.txt": "Nothing of the release.",
        }
    )
