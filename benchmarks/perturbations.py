"""CPU seconds to change the 164 problems of HumanEval by every transformation with five seeds.

``python -m benchmarks.perturbations [TRANSFORMATION …]``. Those that ask a language model (BackTranslation,
VarRenamerCB) are left out, and so is what this machine lacks something for. CPU seconds of this one process, loading
spaCy and its model included: what one core needs, however busy the machine is.
"""

import json
import sys
from time import process_time

from app.perturbations import Form, Perturbed, Problem, Transformation, available, find
from tests.shared_data import shared_data

SEEDS = 5
ASK_A_MODEL = ("BackTranslation", "VarRenamerCB")


def main() -> None:
    """Print for each transformation its CPU seconds and how much of what it was given it changed, then the sum."""
    print(f"{'starting and importing':<42} {process_time():7.2f} CPU s")
    problems = human_eval()
    for transformation in [find(name) for name in sys.argv[1:]] or available():
        reason = f"lacking: {lack}" if (lack := transformation.missing()) else ""
        if reason or transformation.label in ASK_A_MODEL:
            print(f"{transformation.name:<42} left out; {reason or 'asks a language model'}")
        else:
            measure(transformation, problems[transformation.form])
    print(f"{'all':<42} {process_time():7.2f} CPU s")


def measure(transformation: Transformation, problems: list[Problem]) -> None:
    """Change all problems, with each seed if they matter."""
    began = process_time()
    seeds = range(SEEDS if transformation.is_random else 1)
    outcomes = [outcome for seed in seeds for outcome in transformation.perturb_all(problems, seed)]
    seconds = process_time() - began
    changed = sum(isinstance(each, Perturbed) for each in outcomes)
    print(f"{transformation.name:<42} {seconds:7.2f} CPU s  {changed} of {len(outcomes)} changed", flush=True)


def human_eval() -> dict[Form, list[Problem]]:
    """The problems whole, and with half a solution."""
    files = {Form.WHOLE: "HumanEval.jsonl", Form.HALF: "humaneval_partial.jsonl"}
    return {
        form: read(shared_data("humaneval", file).read_text(encoding="utf-8"), form) for form, file in files.items()
    }


def read(text: str, form: Form) -> list[Problem]:
    """Problems of a file, one a line."""
    rows = map(json.loads, text.splitlines())
    return [
        Problem(row["task_id"], row["prompt"], row["entry_point"], row["canonical_solution"], row["test"], form)
        for row in rows
    ]


if __name__ == "__main__":
    main()
