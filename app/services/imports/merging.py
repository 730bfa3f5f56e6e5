"""One grade from several of the same annotator, where rows with the same intent became one problem.

The rule: the mean, rounded to the nearest whole grade; a half goes up or down by a coin that follows from the
study's seed and from the annotator, the problem and the system alone, so that it falls the same way every time.
"""

from app.services.ordering import place


def merge_grades(grades: list[float], seed: int, annotator: str, problem: str, system: str) -> float:
    """The one grade that stands for all of them."""
    mean = sum(grades) / len(grades)
    down = float(mean // 1)
    if mean - down == 0.5:
        return down + place(seed, "merged-grade", annotator, problem, system) % 2
    return float(round(mean))
