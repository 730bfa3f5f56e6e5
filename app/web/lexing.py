"""Pygments' rules, all of a state tried in one go: the same tokens, sooner (benchmarks/colouring.py).

Pygments tries the rules of a state one after the other until one matches. Here they are the branches of one pattern,
which are tried in their order, too; an empty group behind each tells which it was.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from pygments.lexer import RegexLexer
from pygments.token import Error, Whitespace, _TokenType

Token = tuple[int, _TokenType, str]
Match = Callable[[str, int], re.Match[str] | None]
Rule = tuple[Match, Any, Any]  # what matches, a token's type or who makes tokens of the match, the states that follow

FLAGS_IN_FRONT = re.compile(r"\A\(\?([ims]+)\)")
# What means something else, or nothing, within a greater pattern: references to groups, names, conditions, flags.
STANDS_ALONE = re.compile(r"\\[1-9]|\(\?[P(]|\(\?[aiLmsux]+\)")
GROUP = re.compile(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|\((?!\?)", re.DOTALL)


class _Branches(NamedTuple):
    """Rules that follow each other in a state; the number of the match's last group tells which of them it is."""

    match: Match
    rules: Sequence[Rule]


def tokens_of(lexer: RegexLexer, text: str) -> Iterator[Token]:
    """What ``lexer.get_tokens_unprocessed`` gives. A language's first text has its rules put together, at once."""
    if type(lexer).get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        return iter(lexer.get_tokens_unprocessed(text))  # does something of its own
    return _tokens(lexer, _states_of(lexer), text)


def _tokens(lexer: RegexLexer, states: Mapping[str, Sequence[_Branches]], text: str) -> Iterator[Token]:
    stack, at = ["root"], 0
    while True:
        found = _found(states[stack[-1]], text, at)
        if found is not None:
            (match, action, follows), end = found
            if type(action) is _TokenType:
                yield at, action, text[at:end]
            elif action is not None:
                yield from action(lexer, match(text, at))  # it wants the rule's own groups
            at = end
            if follows is not None:
                _move(stack, follows)
        elif at < len(text):
            is_line_end = text[at] == "\n"
            yield at, Whitespace if is_line_end else Error, text[at]
            stack = ["root"] if is_line_end else stack
            at += 1
        else:
            return


def _found(state: Sequence[_Branches], text: str, at: int) -> tuple[Rule, int] | None:
    """The first rule that matches, and where its match ends."""
    for match, rules in state:
        if found := match(text, at):
            return rules[(found.lastindex or 1) - 1 if len(rules) > 1 else 0], found.end()
    return None


def _move(stack: list[str], follows: str | int | tuple[str, ...]) -> None:
    """As Pygments does it: to a state, or several, or back, but never below the last one."""
    if isinstance(follows, int):
        del stack[max(1, len(stack) + follows) :]
        return
    for state in (follows,) if isinstance(follows, str) else follows:
        if state == "#pop":
            del stack[max(1, len(stack) - 1) :]
        else:
            stack.append(stack[-1] if state == "#push" else state)


@lru_cache(maxsize=64)
def _states_of(lexer: RegexLexer) -> dict[str, Sequence[_Branches]]:
    # What Pygments compiled; it has no other name, and types-Pygments doesn't know it.
    compiled: dict[str, Sequence[Rule]] = lexer._tokens  # type: ignore[attr-defined]
    return {name: tuple(_joined(rules, lexer.flags)) for name, rules in compiled.items()}


def _joined(rules: Sequence[Rule], flags: int) -> Iterator[_Branches]:
    branches = [(rule, _branch(rule[0])) for rule in rules]
    for can_join, run in groupby(branches, lambda each: each[1] is not None):
        some = list(run)
        pattern = _compiled([branch for _, branch in some if branch], flags) if can_join else None
        if pattern:
            yield _Branches(pattern.match, [rule for rule, _ in some])
        else:
            yield from (_Branches(rule[0], [rule]) for rule, _ in some)


def _branch(match: Match) -> str | None:
    """The rule's pattern as part of a greater one; None where it can't be that.

    Without groups: a pattern's branch that begins with a letter is passed over at once where the text has another.
    """
    pattern = getattr(match, "__self__", None)
    if not isinstance(pattern, re.Pattern):
        return None
    front = FLAGS_IN_FRONT.match(pattern.pattern)
    own, rest = (front[1], pattern.pattern[front.end() :]) if front else ("", pattern.pattern)
    return None if STANDS_ALONE.search(rest) else f"(?{own}:{GROUP.sub(_without_group, rest)})"


def _without_group(found: re.Match[str]) -> str:
    return found[1] or "(?:"


def _compiled(branches: Sequence[str], flags: int) -> re.Pattern[str] | None:
    """None where Python does not read the branches as they stood alone."""
    try:
        pattern = re.compile("|".join(f"{branch}()" for branch in branches), flags)
    except re.error:
        return None
    return pattern if pattern.groups == len(branches) else None
