"""Perturbed sets: made of a benchmark by transformations, or imported as they were released; and how they stand.

A set is a benchmark whose rows are nominal problems, nominal halves, and what each transformation made of them with
each seed. What it is to hold stands in its recipe; a run adds the rows that are missing, so that a set that is
extended, or whose run was killed, computes nothing twice.
"""

from app.services.perturbing.choosing import Choice, choose
from app.services.perturbing.importing import data_sets, import_released, read_released
from app.services.perturbing.making import newest_run
from app.services.perturbing.recipes import Recipe
from app.services.perturbing.requests import (
    Requested,
    Wanted,
    check_kept,
    extend_set,
    find_set,
    more_of,
    request_set,
    set_of,
)

__all__ = [
    "Choice",
    "Recipe",
    "Requested",
    "Wanted",
    "check_kept",
    "choose",
    "data_sets",
    "extend_set",
    "find_set",
    "import_released",
    "more_of",
    "newest_run",
    "read_released",
    "request_set",
    "set_of",
]
