"""Templates hold nothing that a strict policy forbids, and escape everything."""

import re

import pytest

from app.config import PROJECT_ROOT
from app.web.templating import templates

FILES = sorted((PROJECT_ROOT / "templates").rglob("*.html"))

FORBIDDEN = {
    "an inline style": re.compile(r"<[^>]*\sstyle\s*="),
    "a style element": re.compile(r"<style\b"),
    "an inline handler": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "an inline script": re.compile(r"<script(?![^>]*\bsrc=|[^>]*application/json)"),
    "a script address": re.compile(r"javascript:", re.IGNORECASE),
    "an htmx handler": re.compile(r"\bhx-on\b|js:"),
    "a value inside a script": re.compile(r"<script[^>]*>[^<]*\{\{"),
    "an address elsewhere": re.compile(r"(?:src|href|action)=[\"']?(?:https?:)?//"),
}

# Files that may mark text as safe, each with the reason. The text has been through nh3 or is our own.
SAFE_ALLOWED: dict[str, str] = {}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PROJECT_ROOT)))
def test_a_template_is_clean(file: object) -> None:
    text = re.sub(r"\{#.*?#\}", "", file.read_text(), flags=re.DOTALL)  # type: ignore[attr-defined]
    for what, pattern in FORBIDDEN.items():
        found = pattern.search(text)
        assert not found, f"{what}: {found and found[0]}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PROJECT_ROOT)))
def test_nothing_is_marked_safe_without_a_reason(file: object) -> None:
    name = str(file.relative_to(PROJECT_ROOT / "templates"))  # type: ignore[attr-defined]
    if name not in SAFE_ALLOWED:
        assert not re.search(r"\|\s*safe\b|autoescape\s+false|Markup\(", file.read_text())  # type: ignore[attr-defined]


def test_the_lint_finds_what_it_looks_for() -> None:
    samples = {
        "an inline style": '<p class="x" style="color:red">',
        "an inline handler": '<a href="/" onclick="x()">',
        "an inline script": "<script>alert(1)</script>",
        "an address elsewhere": '<script src="//cdn.example/x.js">',
        "an htmx handler": '<p hx-on:click="x">',
        "a value inside a script": '<script type="application/json">{{ figure }}</script>',
    }
    for what, sample in samples.items():
        assert FORBIDDEN[what].search(sample), what


@pytest.mark.fault("F35")
def test_every_kind_of_template_escapes() -> None:
    assert templates.env.autoescape is not False
    for name in ("x.html", "_x.html"):
        escape = templates.env.autoescape
        assert escape is True or escape(name)  # type: ignore[operator]
