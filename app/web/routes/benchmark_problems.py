"""A benchmark's problem with all that was written for it, and one completion with all that is known of it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.services.benchmarks import find_benchmark, overview
from app.services.execution.programs import shown_prompt
from app.services.generation.overview import completions_for, find_completion
from app.services.generation.requests import find_generation
from app.services.perturbing.stepping import place_of
from app.storage.models import Benchmark, BenchmarkProblem
from app.web.access import RESEARCHER
from app.web.code_view import CodeView, view_code, view_pair
from app.web.database import ReadSession
from app.web.paging import PageNumber
from app.web.parameters import QueriedRow, RowId
from app.web.templating import render
from app.words import gettext

router = APIRouter()

COMPLETIONS_SHOWN = 20
LONGEST_LISTED, LONGEST_SHOWN = 8_000, 100_000  # characters; downloads have all
LONGEST_COMPARED = 20_000


def _view(text: str, language: str, most: int = LONGEST_SHOWN) -> CodeView:
    return view_code(text[:most], language)


@router.get("/benchmarks/{benchmark}/problems/{position}", dependencies=[RESEARCHER])
def show_problem(
    request: Request,
    session: ReadSession,
    benchmark: str,
    position: RowId,
    *,
    generation: QueriedRow = None,
    page: PageNumber = 1,
) -> Response:
    """One problem, counted from 1: what was asked, the tests, the canonical solution and what models wrote."""
    found = find_benchmark(session, benchmark)
    problem = overview.problem_at(session, found, position)
    chosen = None if generation is None else find_generation(session, generation)
    rows, total = completions_for(session, problem, generation=generation, page=page, size=COMPLETIONS_SHOWN)
    return render(
        request,
        "benchmarks/problem.html",
        benchmark=found,
        problem=problem,
        number=position,
        viewed_at=place_of(problem.key) if problem.transformation is not None else None,
        count=overview.standing_of(session, found).problems,
        solution_execution=overview.solution_of(session, problem),
        parts=_parts(problem, found),
        rows=[
            (completion, made, execution, _view(completion.text, found.language, LONGEST_LISTED))
            for completion, made, execution in rows
        ],
        chosen=chosen,
        total=total,
        page=page,
        size=COMPLETIONS_SHOWN,
        longest=LONGEST_LISTED,
    )


def _parts(problem: BenchmarkProblem, benchmark: Benchmark) -> dict[str, CodeView]:
    texts = {
        "prompt": problem.prompt,
        "partial": problem.partial,
        "solution": problem.canonical_solution,
        "tests": problem.tests,
    }
    return {name: _view(text, benchmark.language) for name, text in texts.items() if text}


@router.get("/completions/{completion_id}", dependencies=[RESEARCHER])
def show_completion(request: Request, session: ReadSession, completion_id: RowId) -> Response:
    """One completion: what the model wrote beside what was run, and what became of it."""
    completion, problem, execution = find_completion(session, completion_id)
    generation = find_generation(session, completion.generation_id)
    benchmark = session.get_one(Benchmark, generation.benchmark_id)
    is_short = len(completion.raw) + len(completion.text) <= LONGEST_COMPARED
    names = gettext("What the model wrote"), gettext("What was run")
    language = benchmark.language
    return render(
        request,
        "generations/completion.html",
        benchmark=benchmark,
        generation=generation,
        completion=completion,
        problem=problem,
        execution=execution,
        prompt=_view(shown_prompt(problem, generation.prompt_mode), language),
        pair_view=view_pair(completion.raw, completion.text, language, names) if is_short else None,
        raw=None if is_short else _view(completion.raw, language),
        cut=None if is_short else _view(completion.text, language),
        longest=LONGEST_SHOWN,
    )
