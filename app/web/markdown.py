"""Markdown that people wrote, as HTML that is safe to show."""

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from app.web.code_view import visible_name

ALLOWED = {
    *("p", "br", "hr", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
# Raw HTML is shown as text, and what is left goes through an allow-list: two locks on one door.
_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
# A question stands in labels and headings: of Markdown it takes what stays within a line.
INLINE = {"code", "em", "strong", "s", "a", "bdi"}
# bdi: the mark of a character that can't be seen, as visible_name makes it.
_ATTRIBUTES = {"bdi": {"class", "data-code", "title"}, "a": {"href"}}
_inline = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable("image")
_inline.add_render_rule("text", lambda _, tokens, at, *__: visible_name(tokens[at].content))
_inline.add_render_rule("code_inline", lambda _, tokens, at, *__: f"<code>{visible_name(tokens[at].content)}</code>")


@lru_cache(maxsize=64)
def render_markdown(text: str) -> Markup:
    """Headings (from the second level on), lists, tables, code, emphasis, links; no images, no HTML."""
    tokens = _parser.parse(text)
    for token in tokens:
        if token.tag == "h1":
            token.tag = "h2"  # the page has its own first heading
    html = _parser.renderer.render(tokens, _parser.options, {})
    clean = nh3.clean(html, tags=ALLOWED, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"})
    return Markup(clean)  # noqa: S704 - the sanitiser has just made it safe  # nosec B704


@lru_cache(maxsize=256)
def render_inline(text: str) -> Markup:
    """Emphasis, code and links of a text of one line, such as a question; what can't be seen in it is marked."""
    html = _inline.renderInline(text)
    return Markup(nh3.clean(html, tags=INLINE, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"}))  # noqa: S704 - the sanitiser has just made it safe  # nosec B704


@lru_cache(maxsize=256)
def inline_text(text: str) -> str:
    """The words of such a text alone, for titles, options and messages."""
    tokens = _inline.parseInline(text)[0].children or []
    return "".join("\n" if each.type in ("softbreak", "hardbreak") else each.content for each in tokens)
