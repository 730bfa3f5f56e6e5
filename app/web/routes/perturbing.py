"""Perturbed sets asked for and extended: the form, what it would make, and the start."""

from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy.orm import Session
from starlette.responses import Response

from app.errors import InvalidInput
from app.perturbations import Mode
from app.services.benchmarks import find_benchmark
from app.services.benchmarks.which import is_set
from app.services.perturbing import Recipe, extend_set, request_set
from app.services.perturbing.offers import estimate_rows, offers_for
from app.services.perturbing.requests import MOST_SEEDS, Requested, extendable
from app.storage.models import Benchmark
from app.web.access import ADMIN, CurrentPrincipal
from app.web.database import ReadSession, WriteSession
from app.web.forms import FormInvalid, FormState, read_form
from app.web.htmx import redirect
from app.web.perturbing_form import SentSet, SetForm, shown_values, values_of
from app.web.templating import render

router = APIRouter()


@router.get("/benchmarks/{benchmark}/perturb", dependencies=[ADMIN])
def perturb_page(request: Request, session: ReadSession, benchmark: str) -> Response:
    """The form. What the address says is chosen: other rules can make other transformations."""
    found = find_benchmark(session, benchmark)
    return _page(request, session, found, FormState(shown_values(found, values_of(request.query_params))))


@router.get("/benchmarks/{benchmark}/perturb/estimate", dependencies=[ADMIN])
def show_estimate(request: Request, session: ReadSession, benchmark: str) -> Response:
    """How many rows the choices make; nothing is stored."""
    found = find_benchmark(session, benchmark)
    context: dict[str, Any] = {"estimate": None, "errors": [], "is_set": is_set(found)}
    try:
        form = read_form(SetForm, values_of(request.query_params))
        context["estimate"] = estimate_rows(session, found, form.wanted(_recipe(found)), _mode(found, form))
    except FormInvalid as invalid:
        context["errors"] = list(invalid.state.errors.values())
    except InvalidInput as error:
        context["errors"] = [error.in_words()]
    return render(request, "perturbing/_estimate.html", **context)


@router.post("/benchmarks/{benchmark}/perturb", dependencies=[ADMIN])
def perturb(
    request: Request, session: WriteSession, principal: CurrentPrincipal, benchmark: str, *, sent: SentSet
) -> Response:
    """Make the set, or add to it."""
    found = find_benchmark(session, benchmark)
    try:
        with session.begin_nested():
            done = _requested(session, found, read_form(SetForm, sent), principal)
    except FormInvalid as invalid:
        return _page(request, session, found, invalid.state)
    except InvalidInput as failure:
        return _page(request, session, found, FormState.of(failure, sent))
    return redirect(request, f"/benchmarks/{done.benchmark.slug}")


def _requested(session: Session, found: Benchmark, form: SetForm, principal: CurrentPrincipal) -> Requested:
    wanted = form.wanted(_recipe(found))
    who: dict[str, Any] = {"actor": principal.actor, "user_id": principal.user_id}
    if is_set(found):
        return extend_set(session, found, wanted, **who)
    return request_set(session, found, wanted, mode=Mode(form.mode), name=form.name or None, **who)


def _recipe(benchmark: Benchmark) -> Recipe | None:
    return extendable(benchmark) if is_set(benchmark) else None


def _mode(benchmark: Benchmark, form: SetForm) -> Mode:
    """A set keeps the one that it was made with."""
    recipe = _recipe(benchmark)
    return Mode(form.mode if recipe is None else recipe.mode)


def _page(request: Request, session: Session, benchmark: Benchmark, form: FormState) -> Response:
    recipe = _recipe(benchmark)
    chosen = str(form.values.get("mode"))
    mode = Mode(recipe.mode if recipe else chosen if chosen in set(Mode) else Mode.PAPER)
    return render(
        request,
        "perturbing/new.html",
        status_code=422 if form.errors else 200,
        benchmark=benchmark,
        recipe=recipe,
        form=form,
        mode=mode,
        offers=offers_for(session, benchmark, mode),
        most_seeds=MOST_SEEDS,
    )
