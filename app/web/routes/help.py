"""The pages of the manual, as they lie in docs/; where there is one in the reader's language, that one."""

import re
from pathlib import Path
from typing import Literal, get_args

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.config import PROJECT_ROOT
from app.web.access import ANYONE
from app.web.markdown import render_markdown
from app.web.templating import render
from app.words import ENGLISH, Language, language

router = APIRouter()

FOLDER = PROJECT_ROOT / "docs"
Page = Literal["annotators", "admins", "researchers", "models", "recode", "sandbox", "api"]
# A link from file to file, as a repository's readers follow it.
_NEIGHBOUR = re.compile(rf"\]\(({'|'.join(get_args(Page))})\.md")


@router.get("/help/{page}", dependencies=[ANYONE])
def manual(request: Request, page: Page) -> Response:
    """One page. They hold nothing that anybody may not know."""
    spoken = language() if _file(page, language()).exists() else ENGLISH
    title, _, text = _file(page, spoken).read_text(encoding="utf-8").partition("\n")
    text = render_markdown(_NEIGHBOUR.sub(r"](/help/\1", text))
    return render(request, "help/page.html", page=page, title=title.lstrip("# "), text=text, spoken=spoken)


def _file(page: str, spoken: Language) -> Path:
    return FOLDER / ("" if spoken == ENGLISH else spoken.code) / f"{page}.md"
