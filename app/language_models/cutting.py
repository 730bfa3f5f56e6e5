"""Named rules by which what a model wrote becomes what is stored and run after the prompt.

The raw text is kept beside it; a rule only leaves out. What a rule gives is to be put right behind the prompt.
"""

import re
from collections.abc import Callable

from app.language_models.functions import whole_function
from app.language_models.stopping import cut_at_stop

# With which the makers of HumanEval ended completions (Chen et al. 2021, section 2), and the end of a code fence.
HUMANEVAL_STOPS = ("\nclass", "\ndef", "\n#", "\nif", "\nprint", "\n```")
# CommonMark: a fence is indented by three spaces at most, so that one in an indented docstring is none.
_OPENING = re.compile(r"^ {0,3}(`{3,})([^`\r\n]*)\r?$", re.MULTILINE)

_STATEMENT = re.compile(r"(async[ ]+def|def|class|import|from)[ ]|@")

Rule = Callable[[str, str, str | None], str]


def cut(rule: str, completion: str, prompt: str = "", entry_point: str | None = None) -> str:
    """The completion by the rule of that name; ValueError names the known ones.

    humaneval: up to the first line that begins with class, def, #, if or print, or a fence. It cuts away helper
    functions after the answer, and goes wrong where a docstring has such a line: kept for comparison with others.
    function: the first whole function (that of ``entry_point``, if given), and what it uses of what comes after it.
    fenced: what is inside the first code fence, without the prompt if that is repeated there.
    none: all of it.
    """
    if rule not in RULES:
        raise ValueError(f"There is no rule {rule!r} to cut completions by. Known: {', '.join(RULES)}.")
    return RULES[rule](completion, prompt, entry_point)


def in_fence(text: str) -> str | None:
    """What is inside the first code fence, to the end if nothing closes it; None if there is none."""
    opening = _OPENING.search(text)
    if opening is None:
        return None
    start = opening.end() + 1
    closing = re.compile(rf"^ {{0,3}}`{{{len(opening[1])},}}[ \t]*\r?$", re.MULTILINE).search(text, start)
    return text[start : closing.start() if closing else len(text)]


def after_prompt(code: str, prompt: str) -> str:
    """Code that repeats the prompt without it; other code that stands for itself, on a line of its own."""
    begun = prompt.rstrip()
    plain = code.lstrip("\r\n")
    if begun and plain.startswith(begun):
        rest = plain[len(begun) :]
        # Only where the prompt ends with white space that the answer has too, it goes on behind that.
        kept = prompt[len(begun) :]
        return rest.removeprefix(kept)
    return "\n" + plain if _STATEMENT.match(plain) and prompt and not prompt.endswith("\n") else code


def _humaneval(completion: str, prompt: str, _entry_point: str | None) -> str:
    if completion.lstrip().startswith("```"):
        completion = _fenced(completion, prompt, None)
    text, _ = cut_at_stop(after_prompt(completion, prompt), HUMANEVAL_STOPS)
    return text.rstrip("\r")


def _fenced(completion: str, prompt: str, _entry_point: str | None) -> str:
    code = in_fence(completion)
    return completion if code is None else after_prompt(code, prompt)


def _function(completion: str, prompt: str, entry_point: str | None) -> str:
    code = _without_fences(completion, prompt)
    whole = whole_function(prompt, code, entry_point)
    return whole if whole is not None else _humaneval(code, prompt, entry_point)


def _without_fences(completion: str, prompt: str) -> str:
    """The fenced code of an answer that talks; of one that goes on with the prompt, what comes before a fence."""
    opening = _OPENING.search(completion)
    if opening is None:
        return after_prompt(completion, prompt)
    before = completion[: opening.start()]
    goes_on = before.strip() and (before.lstrip("\r\n")[:1] in (" ", "\t") or not opening[2].strip())
    return after_prompt(before, prompt) if goes_on else _fenced(completion, prompt, None)


def _none(completion: str, _prompt: str, _entry_point: str | None) -> str:
    return completion


RULES: dict[str, Rule] = {"humaneval": _humaneval, "function": _function, "fenced": _fenced, "none": _none}
