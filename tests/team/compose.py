"""docker-compose.yml as an engine would read it: anchors followed, variables put in."""

import re
import secrets
from collections.abc import Mapping
from typing import Any

import yaml

from app.config import PROJECT_ROOT

# Made as .env.example says, for this run of the tests alone.
FILLED_IN = {
    "CODEJURY_DOMAIN": "jury.example.org",
    "POSTGRES_PASSWORD": secrets.token_hex(24),
    "REDIS_PASSWORD": secrets.token_hex(24),
}
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


class Unset(Exception):
    """A variable that must be set is not."""


def read_compose(variables: Mapping[str, str] = FILLED_IN) -> dict[str, Any]:
    """The whole file. Unset names what stands in no variable and must."""
    text = (PROJECT_ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    whole: dict[str, Any] = _put_in(yaml.safe_load(text), variables)
    return whole


def _put_in(value: Any, variables: Mapping[str, str]) -> Any:
    """Variables stand in texts, and what they hold stays text."""
    if isinstance(value, dict):
        return {name: _put_in(each, variables) for name, each in value.items()}
    if isinstance(value, list):
        return [_put_in(each, variables) for each in value]
    return VARIABLE.sub(lambda found: _value_of(found, variables), value) if isinstance(value, str) else value


def _value_of(found: re.Match[str], variables: Mapping[str, str]) -> str:
    given = variables.get(found[1], "")
    if not given and found[2] == "?":
        raise Unset(f"{found[1]}: {found[3]}")
    return given or found[3] or ""


def read_service(name: str) -> dict[str, Any]:
    """One service."""
    service: dict[str, Any] = read_compose()["services"][name]
    return service
