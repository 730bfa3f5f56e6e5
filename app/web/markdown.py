"""Markdown that people wrote, as HTML that is safe to show."""

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

ALLOWED = {
    *("p", "br", "hr", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
# Raw HTML is shown as text, and what is left goes through an allow-list: two locks on one door.
_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@lru_cache(maxsize=64)
def render_markdown(text: str) -> Markup:
    """Headings (from the second level on), lists, tables, code, emphasis, links; no images, no HTML."""
    tokens = _parser.parse(text)
    for token in tokens:
        if token.tag == "h1":
            token.tag = "h2"  # the page has its own first heading
    html = _parser.renderer.render(tokens, _parser.options, {})
    clean = nh3.clean(html, tags=ALLOWED, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"})
    return Markup(clean)  # noqa: S704 - the sanitiser has just made it safe
