"""A page that holds nothing but what templates/macros/code.html draws, under the real policy and style sheets."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

from PIL import Image
from playwright.sync_api import BrowserContext, Page, Route

from app.web.code_view import view_code, view_pair
from app.web.security import CONTENT_SECURITY_POLICY
from app.web.templating import templates

PAGE = """<!DOCTYPE html>
<html lang="en" dir="{{ direction }}"><head><meta charset="utf-8"><title>Code</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{{ static_url('css/base.css') }}">
{% include "components/_code.html" %}
{% import "macros/code.html" as macros %}
</head><body><main><h1>Code</h1>
{{ macros.code_options(pair=true) }}
<section aria-label="First">{{ macros.code_block(code, "Program") }}</section>
<section aria-label="Second">{{ macros.pair(pair, layout) }}</section>
<section aria-label="Third">{{ macros.pair(prose, "stacked", prose=true) }}</section>
<section aria-label="Fourth">{{ macros.figure("/card.png", "A pair of scales", "The card") }}</section>
{{ macros.picture_dialog() }}
</main></body></html>"""

LONG = "result = " + " + ".join(f"value_{n}" for n in range(60))
CODE = f'def f(x):\n\treturn "<unk>"  # no  \n{LONG}\n\n    if x == 1\u200b: pass\n'
PAIR = ("def f(a, b):\n    return a + b\n", "def F(a, b):\n\treturn a + b \n\n")
PROSE = ("Return the sum of the list.", "Return a sum of the numbers.")


def _card() -> bytes:
    """A picture smaller than any window."""
    written = BytesIO()
    Image.linear_gradient("L").resize((200, 280)).save(written, "PNG")
    return written.getvalue()


@dataclass
class CodePage:
    """The page, and a way to open it with other texts."""

    page: Page
    address: str

    def open(self, code: str = CODE, pair: tuple[str, str] = PAIR, **choices: Any) -> Page:
        """Show these texts."""
        html = templates.env.from_string(PAGE).render(
            code=view_code(code, "python"),
            pair=view_pair(*pair, "python", ("Left", "Right")),
            prose=view_pair(*PROSE, "text", ("Upper", "Lower")),
            **({"direction": "ltr", "layout": "side-by-side"} | choices),
        )
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Content-Type": "text/html; charset=utf-8"}

        def answer_picture(route: Route) -> None:
            route.fulfill(body=_card(), content_type="image/png")

        def answer(route: Route) -> None:
            route.fulfill(body=html, headers=headers)

        self.page.context.route("**/card.png", answer_picture)
        self.page.unroute("**/code-page")
        self.page.route("**/code-page", answer)
        self.page.goto(f"{self.address}/code-page")
        return self.page


def new_code_page(context: BrowserContext, address: str) -> CodePage:
    """An empty tab at the app."""
    return CodePage(context.new_page(), address)
