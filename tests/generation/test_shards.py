"""In which order prompts are asked."""

from app.language_models.protocol import Prompt
from app.services.generation.shards import SHARD, Asked, shards


def asked(length: int) -> Asked:
    """A prompt of so many characters."""
    return Asked(length, 0, Prompt(str(length), "x" * length, 0), None)


def test_the_longest_come_first_and_the_others_mixed() -> None:
    prompts = [asked(length) for length in range(20 * SHARD)]
    ordered = list(shards(prompts))
    sizes = [max(len(each.prompt.text) for each in shard) for shard in ordered]
    assert sizes[0] == 20 * SHARD - 1
    assert all(len(shard) == SHARD for shard in ordered)
    assert sorted(each.problem_id for shard in ordered for each in shard) == list(range(20 * SHARD))
    # What comes early is about as long as what comes late, so that the pace so far tells the rest.
    early, late = sum(sizes[1:10]) / 9, sum(sizes[10:]) / 10
    assert 0.7 < early / late < 1.4
    assert [each.problem_id for shard in shards(prompts) for each in shard] == [
        each.problem_id for shard in ordered for each in shard
    ]
