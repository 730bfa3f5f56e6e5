"""Lexical tokens of possibly broken Python, by the rules of ``tokenize`` as they stood until Python 3.11.

Published CodeBLEU scores rest on that lenient tokeniser. Python 3.12 made the module strict (it raises on a
stray backtick or bracket and splits f-strings), so the rules are kept here and are the same on every Python.
"""

import re
from collections.abc import Generator, Iterator

_PREFIX = r"(?:[bB][rR]?|[rR][bB]?|[uU]|[fF][rR]?|[rR][fF])?"
_EXPONENT = r"[eE][-+]?[0-9](?:_?[0-9])*"
_DIGITS = r"[0-9](?:_?[0-9])*"
_NUMBER = "|".join(
    [
        rf"{_DIGITS}[jJ]|(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:{_EXPONENT})?[jJ]|{_DIGITS}{_EXPONENT}[jJ]",
        rf"(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:{_EXPONENT})?|{_DIGITS}{_EXPONENT}",
        r"0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?0)*|[1-9](?:_?[0-9])*",
    ]
)
_OPERATORS = r"\*\*=|//=|>>=|<<=|\.\.\.|[-+*/%&|^@=!<>:]=|->|\*\*|//|<<|>>|[-+*/%&|^@=<>~()\[\]{},:;.]"


def _token_pattern(quotes: str) -> re.Pattern[str]:
    """Tokens, with strings in those quotes only; one ends on its line or is carried over by a backslash."""
    quoted = [rf"{_PREFIX}{q}[^\n{q}\\]*(?:\\.[^\n{q}\\]*)*(?:{q}|\\\r?\n)" for q in quotes]
    return re.compile(
        r"[ \f\t]*(?:"
        rf"(?P<join>\\\r?\n)|(?P<end>\Z)|(?P<comment>#[^\r\n]*)|(?P<triple>{_PREFIX}(?:'''|\"\"\"))"
        rf"|(?P<number>{_NUMBER})|(?P<newline>\r?\n)|(?P<operator>{_OPERATORS})"
        rf"|(?P<quoted>{'|'.join(quoted) or '(?!)'})|(?P<name>\w+))"
    )


_TOKEN = {quotes: _token_pattern(quotes) for quotes in ("'\"", "'", '"', "")}
_TO_END_OF = {quote: re.compile(rf"(?:[^\\]|\\.)*?{quote}", re.DOTALL) for quote in ("'", '"', "'''", '"""')}
_MARGIN = re.compile(r"[ \f\t]*")


class _IncompleteError(Exception):
    """The text ends inside a string or a bracket, or a line returns to an indentation that never was."""


def python_tokens(text: str) -> list[str] | None:
    """Token strings with the (often empty) NEWLINE, NL, INDENT and DEDENT; None for incomplete text.

    ``x = 1`` gives ``["x", "=", "1", ""]``. A character that starts no token stands alone.
    """
    try:
        return list(_Lines(text).tokens())
    except _IncompleteError:
        return None


class _Lines:
    """A walk over the lines with what one leaves to the next: open brackets, indentation, an open string."""

    def __init__(self, text: str) -> None:
        self.lines = re.findall(r"[^\n]*\n|[^\n]+", text)
        self.depth = 0
        self.joined = False
        self.indents = [0]
        self.string: list[str] = []
        self.quotes = "'\""  # those that can still begin a string on this line
        self.closing: re.Pattern[str] | None = None
        self.one_line = False
        self.ended = not self.lines  # no statement can lack its NEWLINE

    def tokens(self) -> Iterator[str]:
        for line in self.lines:
            yield from self._line(line)
        if self.closing or self.joined or self.depth:
            raise _IncompleteError
        if not self.ended and self.lines[-1][-1] not in "\r\n" and not self.lines[-1].strip().startswith("#"):
            yield ""  # the NEWLINE of a last line that has none
        yield from [""] * (len(self.indents) - 1)

    def _line(self, line: str) -> Iterator[str]:
        position = 0
        if self.closing:
            position = yield from self._string_goes_on(line, self.closing)
        elif self.depth == 0 and not self.joined:
            position = yield from self._margin(line)
        self.joined = False
        self.quotes = "'\""
        while position < len(line):
            position = yield from self._token(line, position)

    def _string_goes_on(self, line: str, closing: re.Pattern[str]) -> "_Step":
        end = closing.match(line)
        self.string.append(line[: end.end()] if end else line)
        if end:
            yield "".join(self.string)
            self.closing, self.one_line = None, False
            return end.end()
        if self.one_line and not line.endswith(("\\\n", "\\\r\n")):
            yield "".join(self.string)
            self.closing = None
        return len(line)

    def _margin(self, line: str) -> "_Step":
        """Blank and comment lines leave the indentation as it is."""
        margin = _MARGIN.match(line)
        start = margin.end() if margin else 0
        if start == len(line):
            self.ended = True
            return start
        if line[start] in "#\r\n":
            return (yield from self._blank(line, start))
        column = _column(line[:start])
        if column > self.indents[-1]:
            self.indents.append(column)
            yield line[:start]
        while column < self.indents[-1]:
            if column not in self.indents:
                raise _IncompleteError
            self.indents.pop()
            yield ""
        return start

    def _blank(self, line: str, start: int) -> "_Step":
        if line[start] == "#":
            comment = line[start:].rstrip("\r\n")
            yield comment
            start += len(comment)
        yield line[start:]
        return len(line)

    def _token(self, line: str, position: int) -> "_Step":
        match = _TOKEN[self.quotes].match(line, position)
        if match is None:
            return (yield from self._stray(line, position))
        kind = match.lastgroup or ""
        token = match[kind]
        if kind == "join":
            self.joined = True
        elif kind == "triple" or (kind == "quoted" and token.endswith("\n")):
            return (yield from self._string_begins(line, match, kind))
        elif kind != "end":
            self.depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            yield token
        return match.end()

    def _stray(self, line: str, position: int) -> "_Step":
        """A character that starts no token stands alone, and so does each blank before it.

        A quote that begins no string because none closes it leaves none to close a later one on its line:
        looking again each time would take quadratic time.
        """
        margin = _MARGIN.match(line, position)
        end = margin.end() if margin else position
        self.quotes = self.quotes.replace(line[end], "")
        yield from line[position : end + 1]
        return end + 1

    def _string_begins(self, line: str, match: re.Match[str], kind: str) -> "_Step":
        opening, start = match[kind], match.start(kind)
        quote = opening[-3:] if kind == "triple" else opening.lstrip("bBrRuUfF")[0]
        closing = _TO_END_OF[quote]
        if kind == "triple" and (end := closing.match(line, match.end())):
            yield line[start : end.end()]
            return end.end()
        self.string, self.closing = [line[start:]], closing
        self.one_line |= kind == "quoted"  # stays set after a string that nothing closed, as in tokenize
        return len(line)


_Step = Generator[str, None, int]


def _column(margin: str) -> int:
    column = 0
    for character in margin:
        column = {" ": column + 1, "\t": (column // 8 + 1) * 8}.get(character, 0)
    return column
