"""A perturbed set that models wrote for, row by row: no rule, no model and no sandbox."""

from collections.abc import Callable, Sequence

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.perturbations import Category, Form
from app.services.generation.parameters import REPLAY
from app.services.generation.replaying import CANONICAL
from app.services.perturbing.nominal import add_halves, add_wholes, append, halved, origins
from app.services.perturbing.recipes import IMPORTED, Recipe, ReleasedFile
from app.services.perturbing.requests import add_set
from app.services.perturbing.variants import Origin
from app.storage.models import Benchmark, BenchmarkProblem, Completion, Generation
from tests.execution_results.rows import HOSTILE, execution

PROBLEMS = 12
PIECES = (
    ("docstring/ButterFingers", Category.DOCSTRING, Form.WHOLE, 0),
    ("docstring/ButterFingers", Category.DOCSTRING, Form.WHOLE, 1),
    ("docstring/Tense", Category.DOCSTRING, Form.WHOLE, 0),
    ("function_name/CamelCase", Category.FUNCTION_NAME, Form.WHOLE, 0),
    ("format/TabIndent", Category.FORMAT, Form.HALF, 0),
)
Judge = Callable[[BenchmarkProblem, int], str | None]  # the verdict on a sample of a row; None: not executed


def recipe_of(pieces: Sequence[tuple[str, Category, Form, int]] = PIECES) -> Recipe:
    """A set that holds these, as if they had been released."""
    files = [
        ReleasedFile(file=f"{name}_{seed}", transformation=name, category=category, form=form, seed=seed)
        for name, category, form, seed in pieces
    ]
    return Recipe(mode=IMPORTED, files=tuple(files))


def make_set(session: Session, name: str = "Robust", problems: int = PROBLEMS) -> Benchmark:
    """Problem n asks for n in two lines; the tense changes nothing in every third problem."""
    made = add_set(session, name, recipe_of(), file_hash=name[:64])
    add_wholes(session, made, [_problem(number) for number in range(problems)])
    add_halves(session, made, halved(session, made))
    for piece in PIECES:
        add_rows(session, made, *piece)
    return made


def add_rows(session: Session, made: Benchmark, name: str, category: Category, form: Form, seed: int) -> None:
    """What one transformation made of every problem."""
    whole = enumerate(origins(session, made, form))
    append(session, made, [_changed(each, place, name, category, form, seed) for place, each in whole])


def _changed(origin: Origin, place: int, name: str, category: Category, form: Form, seed: int) -> dict[str, object]:
    problem, is_same = origin.problem, _is_unchanged(name, place)
    return {
        "key": f"{problem.key} · {name} · {seed}",
        "prompt": problem.prompt if is_same else f"{problem.prompt}# {name} {seed}\n",
        "entry_point": problem.entry_point,
        "tests": problem.tests,
        "canonical_solution": problem.canonical_solution,
        "helpers": "",
        "origin_id": origin.id,
        "transformation": name,
        "category": str(category),
        "perturbation_seed": seed,
        "form": str(form),
        "unchanged": "It has no verb." if is_same else None,
    }


def _is_unchanged(name: str, place: int) -> bool:
    return name == "docstring/Tense" and place % 3 == 0


def _problem(number: int) -> dict[str, object]:
    return {
        "key": f"b/{number}",
        "prompt": f'def f{number}():\n    """Return {number}."""\n',
        "entry_point": f"f{number}",
        "tests": f"def check(candidate):\n    assert candidate() == {number}\n",
        "canonical_solution": f"    found = {number}\n    return found\n",
        "helpers": "",
    }


def asked_rows(session: Session, made: Benchmark) -> Sequence[BenchmarkProblem]:
    """Whatever a model is asked, in order."""
    here = BenchmarkProblem.benchmark_id == made.id
    wanted = select(BenchmarkProblem).where(here, BenchmarkProblem.unchanged.is_(None))
    return session.scalars(wanted.order_by(BenchmarkProblem.position)).all()


def drawn(rate: float, loss: float, seed: int) -> Judge:
    """Of nominal samples this share passes, of changed ones less."""
    rng = np.random.default_rng(seed)

    def judge(row: BenchmarkProblem, _sample: int) -> str:
        return "passed" if rng.random() < rate - (loss if row.transformation else 0) else "failed"

    return judge


def add_model(
    session: Session, made: Benchmark, label: str, judge: Judge, *, samples: int = 1, seed: int = 0
) -> Generation:
    """One model asked for all rows of the set."""
    generation = Generation(
        benchmark_id=made.id,
        label=label,
        spec={"backend": "hugging_face", "name": label},
        sampling={"temperature": 0.0, "top_p": 1.0, "max_tokens": 512, "stop": [], "chat": False},
        samples=samples,
        seed=seed,
        cut_rule="function",
        signature=f"replay:{label}",
    )
    session.add(generation)
    session.flush()
    for row in asked_rows(session, made):
        for sample in range(samples):
            answer(session, generation, row, sample, judge(row, sample))
    return generation


def add_canonical(session: Session, made: Benchmark) -> Generation:
    """The canonical solutions, replayed: all pass."""
    replayed = add_model(session, made, CANONICAL, lambda *_: "passed")
    replayed.spec = {"backend": REPLAY, "name": "upload:canonical", "label": "canonical.jsonl"}
    session.flush()
    return replayed


def answer(
    session: Session, generation: Generation, row: BenchmarkProblem, sample: int, verdict: str | None
) -> Completion:
    """A sample of a row with this verdict."""
    text = f"    return {row.position}  # {generation.label} {verdict} {HOSTILE}\n"
    completion = Completion(
        generation_id=generation.id, problem_id=row.id, sample=sample, seed=sample, raw=text, text=text, finish="stop"
    )
    session.add(completion)
    session.flush()
    if verdict is not None:
        session.add(execution(verdict, completion_id=completion.id))
        session.flush()
    return completion


def judge_solutions(session: Session, made: Benchmark, failing: Sequence[str] = ()) -> None:
    """The canonical solutions were run; those of these rows fail."""
    for row in asked_rows(session, made):
        verdict = "failed" if row.key in failing else "passed"
        session.add(execution(verdict, benchmark_problem_id=row.id))
    session.flush()
