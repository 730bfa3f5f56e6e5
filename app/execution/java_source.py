"""What must be known of a file in Java before it is compiled: its package, its public class, which class has main."""

import re
from dataclasses import dataclass

# Whatever may hold a brace or a word that means nothing.
SILENT = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
PACKAGE = re.compile(r"\s*package\s+([\w.]+)\s*;")
TOKENS = re.compile(
    r"[{}]|\b(?P<public>public\s+)?(?:(?:final|abstract|sealed|strictfp)\s+)*"
    r"(?:class|interface|enum|record)\s+(?P<name>\w+)|\bstatic\s+void\s+(?P<main>main)\s*\("
)
IMPORT = re.compile(r"^import\s+[\w.*\s]+;[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class JavaFile:
    """One file: its package ("" without), its public class, and the class with the last ``main``; None: none has."""

    package: str
    public: str | None
    main: str | None


def read_java(text: str) -> JavaFile:
    """The file's outermost classes. What isn't Java gives whatever it gives: the compiler tells what is wrong."""
    text = without_words(text)
    depth, outermost, public, main = 0, None, None, None
    for token in TOKENS.finditer(text):
        if token[0] in "{}":
            depth += 1 if token[0] == "{" else -1
        elif token["main"]:
            main = outermost
        elif depth == 0:
            outermost = token["name"]
            public = outermost if token["public"] else public
    package = PACKAGE.match(text)
    return JavaFile(package[1] if package else "", public, main)


def without_words(text: str) -> str:
    """The text without strings and comments, on the same lines."""
    return SILENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
