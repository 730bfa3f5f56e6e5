"""Six simulated annotators. Their grades show what the dashboards do; they say nothing about people.

Rule: an annotator skips an item with probability ``absence``; otherwise the grade is the output's intended quality,
plus the annotator's ``leniency``, plus normal noise of standard deviation ``noise``, rounded and kept within 0 to 4.
With probability ``carelessness`` it is a uniformly random grade instead. Every draw comes from a generator seeded by
the study's seed, the annotator and the item, so that the same seed gives the same grades in any order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.services.demo.material import DemoProblem
from app.services.imports.material import REFERENCE
from app.services.ordering import place

LOWEST, HIGHEST = 0, 4

RULE = (
    "Demo study: the grades come from six simulated annotators (intended quality plus leniency plus noise), "
    "not from people."
)


@dataclass(frozen=True, slots=True)
class SimulatedAnnotator:
    """How one simulated annotator grades."""

    name: str
    leniency: float
    noise: float
    carelessness: float
    absence: float


ANNOTATORS = (
    SimulatedAnnotator("Simulated 1", leniency=0.0, noise=0.4, carelessness=0.00, absence=0.05),
    SimulatedAnnotator("Simulated 2", leniency=0.3, noise=0.5, carelessness=0.02, absence=0.10),
    SimulatedAnnotator("Simulated 3", leniency=-0.4, noise=0.5, carelessness=0.02, absence=0.20),
    SimulatedAnnotator("Simulated 4", leniency=0.1, noise=0.8, carelessness=0.05, absence=0.30),
    SimulatedAnnotator("Simulated 5", leniency=0.6, noise=0.7, carelessness=0.05, absence=0.35),
    SimulatedAnnotator("Simulated 6", leniency=0.0, noise=0.9, carelessness=0.35, absence=0.40),
)


class SimulatedGrade(NamedTuple):
    """One grade of one text of one problem."""

    annotator: str
    problem: str
    system: str
    value: int


def simulate_grades(problems: tuple[DemoProblem, ...], seed: int) -> Iterator[SimulatedGrade]:
    """Grades of every distinct text, references among them: whoever wrote the same shares one grade an annotator."""
    for problem in problems:
        for text, (name, quality) in _distinct_texts(problem).items():
            for annotator in ANNOTATORS:
                generator = np.random.default_rng(place(seed, annotator.name, problem.key, text))
                if generator.random() >= annotator.absence:
                    value = _grade(annotator, quality, generator)
                    yield SimulatedGrade(annotator.name, problem.key, name, value)


def _distinct_texts(problem: DemoProblem) -> dict[str, tuple[str, int]]:
    """Each text with who wrote it first and its intended quality."""
    texts = {problem.reference: (REFERENCE, HIGHEST)}
    for system, output in problem.outputs.items():
        if output.text == problem.reference or output.text not in texts:
            texts[output.text] = (system, output.quality)
    return texts


def _grade(annotator: SimulatedAnnotator, quality: int, generator: np.random.Generator) -> int:
    if generator.random() < annotator.carelessness:
        return int(generator.integers(LOWEST, HIGHEST + 1))
    value = quality + annotator.leniency + annotator.noise * generator.standard_normal()
    return int(np.clip(round(value), LOWEST, HIGHEST))
