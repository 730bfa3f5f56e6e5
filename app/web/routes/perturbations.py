"""Perturbations looked at: a set's pairs of original and changed prompt, and one transformation tried on any text."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.errors import InvalidInput
from app.perturbations import Category, Mode, Perturbed, Problem, available
from app.services.perturbing import find_set
from app.services.perturbing.choosing import hindrance
from app.services.perturbing.one_problem import PerturbedPair
from app.services.perturbing.trying import Tried, try_out
from app.services.perturbing.viewing import view_set
from app.web.access import RESEARCHER
from app.web.code_view import CodeView, PairView, view_code, view_pair
from app.web.database import ReadSession
from app.web.forms import FormInvalid, FormState, LongPosted, read_form
from app.web.limits import LIMITED_TRIES
from app.web.perturbing_form import HIGHEST_SEED, TryForm
from app.web.templating import render
from app.words import gettext

router = APIRouter()

LONGEST_COMPARED = 20_000  # characters of one text
Text = Annotated[str | None, Query(min_length=1, max_length=200)]
Seed = Annotated[int | None, Query(ge=0, le=HIGHEST_SEED)]
EXAMPLE = '''def count_words(text: str) -> int:
    """Return the number of words in the given text.

    >>> count_words("one two")
    2
    """
'''


@router.get("/benchmarks/{benchmark}/perturbations", dependencies=[RESEARCHER])
def view_perturbations(
    request: Request,
    session: ReadSession,
    benchmark: str,
    *,
    transformation: Text = None,
    seed: Seed = None,
    problem: Text = None,
    show: Literal["", "changed"] = "",
) -> Response:
    """One problem as it was and as a transformation made it with a seed; without those the first of each."""
    made = find_set(session, benchmark)
    viewed = view_set(
        session, made, task=problem, transformation=transformation, seed=seed, only_changed=show == "changed"
    )
    pair = viewed.pair if viewed else None
    return render(
        request,
        "perturbing/viewer.html",
        benchmark=made,
        viewed=viewed,
        show=show,
        parts=_parts(pair, made.language) if pair else {},
    )


@router.get("/perturbations/try", dependencies=[RESEARCHER])
def try_page(request: Request, transformation: Text = None, seed: Seed = 0, mode: Mode = Mode.PAPER) -> Response:
    """A text to be pasted; an example stands there."""
    name = transformation or next((each.name for each in available() if each.missing() is None), "")
    return _try_page(request, FormState({"prompt": EXAMPLE, "transformation": name, "seed": seed, "mode": mode}))


@router.post("/perturbations/try", dependencies=[RESEARCHER, LIMITED_TRIES])
def try_transformation(request: Request, posted: LongPosted) -> Response:
    """The text and what becomes of it. Nothing is stored.

    Like every route that is no coroutine it runs in a thread of its own: the parser of English, loaded at its first
    use, takes seconds and holds up nobody else.
    """
    try:
        tried = try_out(read_form(TryForm, posted).attempt())
    except FormInvalid as invalid:
        return _try_page(request, invalid.state)
    except InvalidInput as failure:
        return _try_page(request, FormState.of(failure, posted))
    return _try_page(request, FormState(dict(posted)), tried)


def _try_page(request: Request, form: FormState, tried: Tried | None = None) -> Response:
    mode = Mode.RELEASED if form.values.get("mode") == Mode.RELEASED else Mode.PAPER
    offers = {
        category: [(each, hindrance(each, mode, "python")) for each in available() if each.category is category]
        for category in Category
    }
    return render(
        request,
        "perturbing/try.html",
        status_code=422 if form.errors else 200,
        form=form,
        offers=offers,
        highest_seed=HIGHEST_SEED,
        tried=tried,
        parts=_tried_parts(tried) if tried else {},
    )


def _parts(pair: PerturbedPair, language: str) -> dict[str, CodeView | PairView]:
    """What of the pair is shown: both texts where they differ, one where not."""
    before, now = pair.original, pair.changed
    texts: dict[str, tuple[str, str]] = {"prompt": (before.prompt, now.prompt), "tests": (before.tests, now.tests)}
    texts["solution"] = before.canonical_solution or "", now.canonical_solution or ""
    return {name: _both(*both, language) for name, both in texts.items() if any(both)}


def _tried_parts(tried: Tried) -> dict[str, CodeView | PairView]:
    before = tried.problem
    now: Problem = tried.outcome.problem if isinstance(tried.outcome, Perturbed) else before
    texts = {
        "prompt": (before.prompt, now.prompt),
        "solution": (before.canonical_solution, now.canonical_solution),
    }
    return {name: _both(*both, "python") for name, both in texts.items() if any(both)}


def _both(before: str, now: str, language: str) -> CodeView | PairView:
    texts = before[:LONGEST_COMPARED], now[:LONGEST_COMPARED]
    if before == now:
        return view_code(texts[0], language)
    return view_pair(*texts, language, (gettext("Original"), gettext("Changed")))
