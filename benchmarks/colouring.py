"""Code cut up for colouring, beside Pygments' own way through the same rules, in one run.

python -m benchmarks.colouring [LANGUAGE ...]     (without any: those that code is generated in most)
"""

import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median

from app.services.code_languages import lexer_of
from app.web.lexing import Token, tokens_of

LANGUAGES = ("python", "java", "javascript", "typescript", "go", "rust", "csharp", "kotlin", "bash", "sql")
ROUNDS = 200
# No language reads all of this well, and each reads it in full.
CODE = '''
def weighted_mean(values, weights, least=5):
    """The mean of the values, each as often as its weight says."""
    total = 0.0
    for value, weight in zip(values, weights):
        if value is None or weight < 0x10:
            continue  # nothing to add
        total += value * weight
    return total / max(len(values), least)
'''


def milliseconds(cut_up: Callable[[], Iterable[Token]]) -> float:
    """The median of several tries."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        list(cut_up())
        times.append(1000 * (time.perf_counter() - start))
    return median(times)


def main() -> None:
    """A line for each language."""
    for language in sys.argv[1:] or LANGUAGES:
        lexer = lexer_of(language)
        if lexer is None:
            raise SystemExit(f"{language} is not coloured.")
        ours = milliseconds(partial(tokens_of, lexer, CODE))
        peer = milliseconds(partial(lexer.get_tokens_unprocessed, CODE))
        print(f"{language:<12} {ours:6.3f} ms   Pygments {peer:6.3f} ms   {peer / ours:4.1f} times as fast")


if __name__ == "__main__":
    main()
