"""Pages. One Jinja environment; a fragment is its own file with a leading underscore."""

import hashlib
from collections.abc import MutableMapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from fastapi import Request
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context, select_autoescape
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.responses import HTMLResponse

from app import __version__, words
from app.charts.verdicts import verdict_in_words
from app.config import PROJECT_ROOT
from app.services.code_languages import offered_titles
from app.services.questionnaires.instruments import asks_about_outputs
from app.services.runs.retelling import retold
from app.web.code_view import breakable_name, isolated_name, plain_text, visible_name
from app.web.languages import script_words
from app.web.markdown import inline_text, render_inline, render_markdown
from app.words import human_number, human_time

STATIC_DIR = PROJECT_ROOT / "static"


@lru_cache(maxsize=256)
def _fingerprint(path: str, modified_ns: int) -> str:
    return hashlib.sha256((STATIC_DIR / path).read_bytes()).hexdigest()[:12]


def static_url(path: str) -> str:
    """Address of a static file that changes with its content, so that browsers may keep it for ever."""
    file = STATIC_DIR / path
    version = _fingerprint(path, file.stat().st_mtime_ns) if file.exists() else "missing"
    return f"/static/{path}?v={version}"


def iso_time(value: datetime) -> str:
    """ISO 8601 in UTC with Z, for <time datetime> and data."""
    return value.strftime("%Y-%m-%dT%H:%M:%SZ")


class _Environment(Environment):
    """Jinja's own, but what all templates know is one plain dict, else copied key by key for each page and import."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What a template knows by itself: no template here is given names of its own, which would need a layer."""
        return super().make_globals(d) if d else self.globals


@pass_context
def _gettext(context: Context, message: str, /, **values: object) -> str:
    """As Jinja's own, which fills in values even where there are none, and is found as "_" by a detour."""
    pattern = words.pattern(message)
    if context.eval_ctx.autoescape:
        pattern = Markup(pattern)  # noqa: S704 - ours, and what is filled in is escaped  # nosec B704
    return pattern % values if "%" in pattern else pattern


_loader = FileSystemLoader(PROJECT_ROOT / "templates")
templates = Jinja2Templates(env=_Environment(loader=_loader, autoescape=select_autoescape()))
templates.env.undefined = StrictUndefined
templates.env.auto_reload = False  # else each fragment of each answer asks the disk whether its file changed
templates.env.trim_blocks = True
templates.env.lstrip_blocks = True
templates.env.add_extension("jinja2.ext.i18n")
templates.env.policies["ext.i18n.trimmed"] = True
templates.env.install_gettext_callables(  # type: ignore[attr-defined]
    words.pattern, words.plural_pattern, newstyle=True, pgettext=words.context_pattern
)
templates.env.globals.update(gettext=_gettext, _=_gettext)
templates.env.globals.update(static_url=static_url, version=__version__)
templates.env.globals.update(languages=words.LANGUAGES, script_words=script_words)
templates.env.globals.update(code_languages=offered_titles, asks_about_outputs=asks_about_outputs)
templates.env.filters.update(retold=retold, iso_time=iso_time, human_time=human_time, human_number=human_number)
# Whatever people named: "visible" marks what can't be seen, "plain" drops it, for titles and attributes.
templates.env.filters.update(
    visible=visible_name, isolated=isolated_name, breakable=breakable_name, plain=plain_text, markdown=render_markdown
)
templates.env.filters.update(verdict_in_words=verdict_in_words)
# A question's own Markdown, and its words alone where there is no place for more than text.
templates.env.filters.update(inline=render_inline, unmarked=inline_text)


def render(request: Request, template: str, *, status_code: int = 200, **context: Any) -> HTMLResponse:
    """A page or a fragment. ``principal``, ``settings`` and ``language`` are always there."""
    context = {
        "language": words.language(),
        "principal": getattr(request.state, "principal", None),
        "settings": request.app.state.settings,
        **context,
    }
    return templates.TemplateResponse(request, template, context, status_code=status_code)
