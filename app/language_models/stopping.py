"""Stop strings: where a text ends, whichever tokens spelled it."""

from collections.abc import Sequence


def find_stop(text: str, stop: Sequence[str]) -> int:
    """Where the first of the stop strings begins, or -1. Empty stop strings stop nothing."""
    places = [place for each in stop if each and (place := text.find(each)) >= 0]
    return min(places, default=-1)


def cut_at_stop(text: str, stop: Sequence[str]) -> tuple[str, bool]:
    """The text before the first stop string, and whether there was one."""
    place = find_stop(text, stop)
    return (text, False) if place < 0 else (text[:place], True)


def tail_tokens(stop: Sequence[str]) -> int:
    """So many last tokens surely hold a stop string that the very last token completed.

    A token is at least one byte but for empty ones (special tokens, joined characters), hence the margin.
    """
    return max((len(each.encode()) for each in stop), default=0) + 8
