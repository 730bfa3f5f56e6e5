"""A changed scale in words: of its answers those that are other ones now, all of each."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.services.excerpts import cut
from app.words import gettext


def scale_in_words(scale: Any, other: Any) -> str:
    """What ``scale`` has that ``other`` hasn't; nothing where it isn't one."""
    if not isinstance(scale, Mapping):
        return gettext("nothing")
    before = list(_parts(other)) if isinstance(other, Mapping) else []
    return "; ".join(part for part in _parts(scale) if part not in before) or gettext("nothing")


def _parts(scale: Mapping[str, Any]) -> Iterator[str]:
    for choice in scale.get("choices", ()):
        yield cut(_answer(choice))
    if "low" in scale and "high" in scale:
        yield f"{_end(scale, 'low')} – {_end(scale, 'high')}"
    if "step" in scale:
        step = f"{scale['step']:g}"
        yield gettext("in steps of %(step)s", step=step)
    if scale.get("least"):
        yield gettext("at least %(number)s labels", number=scale["least"])
    if "most" in scale:
        yield gettext("at most %(number)s characters", number=scale["most"])
    if scale.get("level") == "nominal":
        yield gettext("values without an order")
    elif scale.get("level") == "ordinal":
        yield gettext("values in an order")
    elif scale.get("level") == "interval":
        yield gettext("values at even distances")


def _answer(choice: Mapping[str, Any]) -> str:
    """The value or the name, the key where that is another one, and what people read."""
    name = f"{choice['value']:g}" if "value" in choice else str(choice.get("name", ""))
    key = choice.get("key") or ""
    label = choice.get("label") or ""
    words = " ".join(part for part in (name, f"[{key}]" if key not in ("", name) else "", label) if part)
    return f"{words} ({choice['description']})" if choice.get("description") else words


def _end(scale: Mapping[str, Any], end: str) -> str:
    return f"{scale[end]:g} {scale.get(f'{end}_label') or ''}".strip()
