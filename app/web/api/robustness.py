"""Robustness over a perturbed set: all numbers, two models compared, and what breaks."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from app.perturbations import Category
from app.services.analysis.computation import canonical_json
from app.services.perturbing import find_set
from app.services.robustness_results.breaks import breaks_of
from app.services.robustness_results.document import compared_pair, robustness_results
from app.web.api.executions import DOCUMENT
from app.web.api.permissions import READ
from app.web.database import ReadSession
from app.web.parameters import LAST_ROW

router = APIRouter(tags=["executions"])

GenerationId = Annotated[int, Query(ge=1, le=LAST_ROW)]
Name = Annotated[str, Query(max_length=300)]


@router.get("/benchmarks/{benchmark}/robustness", dependencies=[READ], response_class=Response, responses=DOCUMENT)
def robustness_of_models(
    session: ReadSession,
    benchmark: str,
    generation: Annotated[
        list[GenerationId] | None, Query(max_length=100, description="Without it: those asked all that any was.")
    ] = None,
) -> Response:
    """pass@k, Robust Pass, Drop and Relative of each model by category and transformation, with intervals, over the
    seeds, and as the mean over the models; ceilings, what was unchanged, and what is incomplete."""
    return _document(robustness_results(session, find_set(session, benchmark), generation or ()))


@router.get(
    "/benchmarks/{benchmark}/robustness/comparison", dependencies=[READ], response_class=Response, responses=DOCUMENT
)
def robustness_of_two_models(session: ReadSession, benchmark: str, *, a: Name, b: Name) -> Response:
    """Two models, named as in the results, compared by problem in each category, at k = 1."""
    return _document({"categories": compared_pair(session, find_set(session, benchmark), (a, b))})


@router.get(
    "/benchmarks/{benchmark}/robustness/breaks", dependencies=[READ], response_class=Response, responses=DOCUMENT
)
def what_breaks(
    session: ReadSession,
    benchmark: str,
    *,
    generation: GenerationId,
    category: Literal["docstring", "function_name", "syntax", "format"],
) -> Response:
    """The problems that changes break most, and the samples that are right before and wrong after, or the reverse."""
    return _document(breaks_of(session, find_set(session, benchmark), generation, Category(category)))


def _document(document: dict[str, object]) -> Response:
    return Response(canonical_json(document).encode(), media_type="application/json")
