"""Find words in a template that nobody can translate: literal text, and literals that its expressions show."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from jinja2 import nodes

from app.web.templating import templates

TRANSLATES = {"_", "gettext", "ngettext", "pgettext", "npgettext"}
PUT_INTO_WORDS = {"verdict_in_words"}  # filters: a key in, its words out
# Attributes that people read or hear.
READ = {"alt", "title", "aria-label", "aria-description", "aria-roledescription", "placeholder", "data-label"}
READ |= {"data-confirm", "data-title", "label"}
# What stands in these is the same in every language.
SAME_EVERYWHERE = {"code", "kbd", "pre", "samp", "script", "style"}
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# Names of things, and of keys and formats.
NAMES = re.compile(
    r"\b(ArrowLeft|ArrowRight|CodeJury|CSV|EvalPlus|Hugging Face transformers|HumanEval|JSON|JSONL|LaTeX|MBPP|PNG"
    r"|SHA-256|SVG|UTC|Qwen/Qwen2\.5-Coder-1\.5B)\b"
)
ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
ADDRESS = re.compile(r"/\S*")  # of a page, put together by a macro
LETTER = re.compile(r"[^\W\d_]")
# Literals that look like words for people, wherever an expression holds them: a capital first, or several words.
LIKE_WORDS = re.compile(r"[A-Z][a-z]|\w+[,.:;]? \w+")


def untranslated(source: str) -> list[str]:
    """What a template shows that no catalogue can reach."""
    tree = templates.env.parse(source)
    reader = _Reader()
    reader.feed("".join(_text(part) for output in tree.find_all(nodes.Output) for part in output.nodes))
    reader.close()
    literals = [text for text in _literals(tree) if LIKE_WORDS.match(text)]
    found = [text for text in reader.found + literals if not ADDRESS.fullmatch(text)]
    return [text for text in found if LETTER.search(NAMES.sub("", text))]


def _text(part: nodes.Expr) -> str:
    """Literal text as it is; of an expression the words that it may show."""
    if isinstance(part, nodes.TemplateData):
        return part.data
    return " ".join(_shown(part))


def _shown(part: nodes.Node) -> Iterator[str]:
    if isinstance(part, nodes.Const) and isinstance(part.value, str):
        yield part.value
    elif isinstance(part, nodes.CondExpr):
        yield from (text for each in (part.expr1, part.expr2) if each for text in _shown(each))
    elif isinstance(part, nodes.Concat):
        yield from (text for each in part.nodes for text in _shown(each))
    elif isinstance(part, (nodes.And, nodes.Or, nodes.Add)):
        yield from (text for each in (part.left, part.right) for text in _shown(each))
    elif isinstance(part, nodes.Filter) and part.node and part.name not in PUT_INTO_WORDS:
        yield from _shown(part.node)


def _literals(node: nodes.Node) -> Iterator[str]:
    """Strings anywhere in the template's expressions, except those that are messages."""
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in TRANSLATES:
        children = [*node.kwargs]
    else:
        children = list(node.iter_child_nodes())
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value
    for child in children:
        yield from _literals(child)


class _Reader(HTMLParser):
    """Collects the text and the attributes that people read."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value.strip() for name, value in attrs if name in READ and value and not self.skipping]
        is_name = dict(attrs).get("translate") == "no"
        if tag not in VOID and (self.skipping or tag in SAME_EVERYWHERE or is_name):
            self.skipping.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.skipping and self.skipping[-1] == tag:
            self.skipping.pop()

    def handle_data(self, data: str) -> None:
        if self.skipping:
            return
        # A block or a macro may hold attributes only, for a tag that stands elsewhere.
        self.found += [value for name, value in ATTRIBUTE.findall(data) if name in READ]
        self.found += filter(None, (line.strip() for line in ATTRIBUTE.sub("\n", data).splitlines()))
