"""Perturbations: changes of a problem's prompt that keep its meaning, one transformation a file.

The rules are those of ReCode (Wang et al., 2022, https://arxiv.org/abs/2212.10264). A transformation knows no other
problem than the one that it is given, and draws from a generator of its own for each (transformation, problem, seed),
so that any perturbed problem can be made again alone.
"""

from app.perturbations.protocol import (
    Category,
    Form,
    Mode,
    Outcome,
    PerturbationError,
    Perturbed,
    Problem,
    Transformation,
    Unchanged,
)
from app.perturbations.registry import available, find, provide

__all__ = [
    "Category",
    "Form",
    "Mode",
    "Outcome",
    "PerturbationError",
    "Perturbed",
    "Problem",
    "Transformation",
    "Unchanged",
    "available",
    "find",
    "provide",
]
