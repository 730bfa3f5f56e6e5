"""House rules that a machine can check, over every file that is committed."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 400
LARGEST_FILE = 1024 * 1024

# Put together here, so that this file does not break its own rules.
UNFINISHED = re.compile("|".join([r"\bTO" + "DO", "FIX" + "ME", r"\bX" + r"XX\b", "raise NotImplemented" + "Error"]))
PRIVATE_KEY = re.compile("-----BEGIN " + r"[A-Z ]*PRIVATE KEY-----")
# A strict content security policy blocks all three.
INLINE = {
    "script": re.compile(r"<script(?![^>]*\ssrc=)[^>]*>", re.IGNORECASE),
    "style": re.compile(r"<style|\sstyle\s*=", re.IGNORECASE),
    "handler": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
}
NO_MARKUP = re.compile(r"""\{#.*?#\}|<script[^>]*\stype=["']application/json["'][^>]*>""", re.IGNORECASE | re.DOTALL)
THIRD_PARTY = re.compile(
    r"(^|/)(vendor|node_modules)/|\.min\.(js|css)$|(^|/)(htmx|plotly|jquery|bootstrap)[^/]*\.js$"
)


def committed(*patterns: str) -> list[Path]:
    """Return the files that git knows or would add, so that a rule speaks before the commit does."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def text(path: Path) -> str:
    """Return the file's text, "" where it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def named(path: Path) -> str:
    """Return the path as a person would write it."""
    return path.relative_to(ROOT).as_posix()


def test_there_is_something_to_check() -> None:
    assert ROOT / "app" / "main.py" in committed("*.py")


def test_python_files_are_short() -> None:
    source = committed("*.py", ":!migrations/versions")  # which Alembic writes
    long = {named(path): lines for path in source if (lines := text(path).count("\n")) > LONGEST_FILE}
    assert not long, f"over {LONGEST_FILE} lines: give each job a file of its own"


def test_nothing_is_left_unfinished() -> None:
    source = committed("*.py", "*.html", "*.css", "*.js", "*.md", "*.sh", "*.toml", "Makefile")
    assert not [named(path) for path in source if UNFINISHED.search(text(path))]


@pytest.mark.parametrize("kind", INLINE)
def test_templates_hold_no_inline(kind: str) -> None:
    """Data in <script type="application/json"> is no script."""
    pages = {named(path): NO_MARKUP.sub("", text(path)) for path in committed("templates/*.html")}
    assert pages
    assert not [name for name, page in pages.items() if INLINE[kind].search(page)]


def test_nothing_of_third_parties_is_committed() -> None:
    assert not [named(path) for path in committed() if THIRD_PARTY.search(named(path))]


def test_no_file_is_large() -> None:
    assert not [named(path) for path in committed() if path.stat().st_size > LARGEST_FILE]


def test_no_private_key_is_committed() -> None:
    assert not [named(path) for path in committed() if PRIVATE_KEY.search(text(path))]


@pytest.mark.parametrize(
    ("kind", "page"),
    [
        ("script", "<script>go()</script>"),
        ("style", '<p style="color: red">'),
        ("style", "<style>p {}</style>"),
        ("handler", '<button type="button" onclick="go()">'),
    ],
)
def test_the_rules_see_what_they_forbid(kind: str, page: str) -> None:
    assert INLINE[kind].search(page)


def test_the_rules_let_pass_what_is_meant() -> None:
    page = '<script src="/a.js" defer></script><button data-condition="x" hx-on-none>on = off; style guide</button>'
    assert not [kind for kind, rule in INLINE.items() if rule.search(page)]
