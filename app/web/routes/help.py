"""The pages of the manual, as they lie in docs/."""

from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.config import PROJECT_ROOT
from app.web.access import ANYONE
from app.web.markdown import render_markdown
from app.web.templating import render

router = APIRouter()

FOLDER = PROJECT_ROOT / "docs"


@router.get("/help/{page}", dependencies=[ANYONE])
def manual(request: Request, page: Literal["annotators", "admins", "researchers", "api"]) -> Response:
    """One page. They hold nothing that anybody may not know."""
    title, _, text = (FOLDER / f"{page}.md").read_text(encoding="utf-8").partition("\n")
    return render(request, "help/page.html", page=page, title=title.lstrip("# "), text=render_markdown(text))
