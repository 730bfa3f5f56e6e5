"""Generations as the models of one benchmark: seeds of one setting together, each with a name of its own."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.ids import content_hash
from app.services.analysis.computation import canonical_json
from app.services.execution_results.samples import Tally
from app.services.generation.parameters import REPLAY
from app.services.generation.replaying import is_canonical
from app.statistics.pass_at_k import ProblemCounts
from app.storage.models import Generation


@dataclass(frozen=True, eq=False)
class ComparedModel:
    """One model in one setting; ``seeds``: a tally for each generation, which differ in their seeds only."""

    name: str
    seeds: tuple[Tally, ...]

    @property
    def generation(self) -> Generation:
        """The first one, which says what model in what setting."""
        return self.seeds[0].generation

    @property
    def is_canonical(self) -> bool:
        """Whether it is no model, but replays the canonical solutions."""
        return is_canonical(self.generation)

    @property
    def runs(self) -> list[ProblemCounts]:
        """The counts of each seed."""
        return [each.counts for each in self.seeds]


def compared_models(tallies: Sequence[Tally]) -> list[ComparedModel]:
    """Those of which something was executed, in order."""
    groups: dict[str, list[Tally]] = defaultdict(list)
    for each in tallies:
        if each.counted:
            groups[_setting_key(each.generation)].append(each)
    members = [group for seeds in groups.values() for group in _told_apart_by_seed(seeds)]
    names = names_of([group[0].generation for group in members])
    return [ComparedModel(name, tuple(group)) for name, group in zip(names, members, strict=True)]


def _told_apart_by_seed(tallies: Sequence[Tally]) -> list[list[Tally]]:
    """The same seed twice is no further seed: such a generation stands by itself."""
    seeds: dict[int, Tally] = {}
    again = []
    for each in tallies:
        if each.generation.seed in seeds:
            again.append([each])
        seeds.setdefault(each.generation.seed, each)
    return [list(seeds.values()), *again]


def _setting_key(each: Generation) -> str:
    """All that decides what is written, but the seed."""
    return content_hash(canonical_json([each.spec, each.sampling, each.samples, each.prompt_mode, each.cut_rule]))


def setting_of(each: Generation) -> dict[str, Any]:
    """The setting as documents tell it."""
    return {
        "sampling": _known_sampling(each),
        "samples": each.samples,
        "prompt_mode": each.prompt_mode,
        "cut_rule": each.cut_rule,
    }


def _known_sampling(each: Generation) -> dict[str, Any]:
    """How tokens were chosen; of a file's completions nobody here knows."""
    unknown = ("temperature", "top_p") if each.spec["backend"] == REPLAY else ()
    return {name: value for name, value in each.sampling.items() if name not in unknown}


def names_of(generations: Sequence[Generation]) -> list[str]:
    """The label; where several have the same, with what of their settings differs, and at last with the number."""
    of_label: dict[str, list[Generation]] = defaultdict(list)
    for each in generations:
        of_label[each.label].append(each)
    fuller = [_with_setting(each, of_label[each.label]) for each in generations]
    known = Counter(fuller)
    return [
        name if known[name] == 1 else f"{name} #{each.id}" for name, each in zip(fuller, generations, strict=True)
    ]


def _with_setting(generation: Generation, others: Sequence[Generation]) -> str:
    mine = _in_symbols(generation)
    differing = [name for name, value in mine.items() if any(_in_symbols(each)[name] != value for each in others)]
    told = ", ".join(mine[name] for name in differing if mine[name])
    return f"{generation.label} ({told})" if told else generation.label


def _in_symbols(each: Generation) -> dict[str, str]:
    replayed = each.spec["backend"] == REPLAY
    return {
        "temperature": "" if replayed else f"T = {each.sampling.get('temperature', 0.0):g}",
        "top_p": "" if replayed else f"top-p = {each.sampling.get('top_p', 1.0):g}",
        "samples": f"n = {each.samples}",
        "prompt_mode": each.prompt_mode,
        "cut_rule": each.cut_rule,
    }
