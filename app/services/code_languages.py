"""The language that a study's code is in: any that Pygments highlights here, by one name, or plain text."""

from functools import lru_cache

from pygments.lexer import RegexLexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.util import ClassNotFound

from app.errors import InvalidInput
from app.words import gettext

PLAIN = "text"
DEFAULT = "python"
# What forms offer: those that code is generated in most. Any other that is highlighted can be typed.
OFFERED = (
    *("python", "java", "javascript", "typescript", "c", "cpp", "csharp", "go", "rust", "kotlin", "swift", "scala"),
    *("php", "ruby", "perl", "lua", "dart", "groovy", "julia", "splus", "matlab", "fortran", "cobol", "ada", "d"),
    *("haskell", "ocaml", "fsharp", "clojure", "common-lisp", "racket", "elixir", "erlang", "prolog"),
    *("bash", "powershell", "sql", "html", "css", "xml", "yaml", "terraform", "solidity", "verilog", "vhdl"),
    PLAIN,
)


def known_language(said: str) -> str:
    """The one name of a language that somebody wrote as "Java", "c++" or "py"; InvalidInput where it isn't known."""
    wanted = said.strip().lower()
    name = PLAIN if wanted == gettext("plain text").lower() else _aliases().get(wanted)
    if name is None or (name != PLAIN and lexer_of(name) is None):
        raise InvalidInput(
            gettext("%(said)s is no language that is highlighted here.", said=repr(said.strip()[:40])),
            remedy=gettext("Choose another, such as Python or Java, or plain text."),
        )
    return name


def language_title(name: str) -> str:
    """What people call it; the name itself where nothing knows it, as in a study of an older version."""
    return gettext("plain text") if name == PLAIN else _titles().get(name, name)


def offered_titles() -> list[str]:
    """What forms offer, as people call it."""
    return [language_title(name) for name in OFFERED]


# What Pygments can't be trusted with: a quote in Smithy that isn't closed takes a time that doubles with each letter
# behind it, which nothing could stop; and how XQuery is cut up depends on the texts before.
NOT_COLOURED = ("smithy", "xquery")


@lru_cache(maxsize=64)
def lexer_of(language: str) -> RegexLexer | None:
    """What highlights the language. Others than these yield nothing until all is read: no budget could stop them."""
    if language in NOT_COLOURED:
        return None
    try:
        # PHP that does not begin with "<?php" is still PHP here; other lexers leave the option alone.
        lexer = get_lexer_by_name(language, startinline=True)
    except ClassNotFound:
        return None
    return lexer if isinstance(lexer, RegexLexer) else None


@lru_cache(maxsize=1)
def _titles() -> dict[str, str]:
    found = {aliases[0]: title for title, aliases, _, _ in get_all_lexers(plugins=False) if aliases}
    as_users_write = {"splus": "R", "matlab": "MATLAB", "verilog": "Verilog", "vhdl": "VHDL"}
    return found | as_users_write


@lru_cache(maxsize=1)
def _aliases() -> dict[str, str]:
    """Every way to write a language, in small letters, to its first name."""
    found = {"plain text": PLAIN, "plaintext": PLAIN, "plain": PLAIN}
    listed = [(title, aliases) for title, aliases, _, _ in get_all_lexers(plugins=False) if aliases]
    for title, aliases in listed:  # a short name of one wins over another's title
        found.setdefault(title.lower(), aliases[0])
    return found | {alias.lower(): aliases[0] for _, aliases in listed for alias in aliases}
