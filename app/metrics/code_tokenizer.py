"""The code tokeniser of tranX (Ling et al. 2016, "Latent Predictor Networks for Code Generation")."""

import re

_QUOTES = str.maketrans({'"': "`", "'": "`"})
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOKEN = re.compile(r"[A-Za-z0-9_]+|[^A-Za-z0-9_\s]")


def code_tokens(code: str) -> list[str]:
    """Tokens of a piece of code in any language; empty for empty or blank text. Linear in its length.

    Every character but ASCII letters, digits and underscores is a token of its own, words split between a
    lower-case and an upper-case ASCII letter, both quotes become a back-tick, case is kept:
    ``myList['a']`` gives ``my List [ ` a ` ]``.
    """
    return _TOKEN.findall(_HUMP.sub(" ", code.translate(_QUOTES)))
