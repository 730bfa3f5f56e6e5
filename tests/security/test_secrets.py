"""No secret lies in the tree: detect-secrets over every line that could hold one."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings

from app.config import PROJECT_ROOT

FOLDERS = (
    ".ci",
    "app",
    "benchmarks",
    "docs",
    "migrations",
    "requirements",
    "scripts",
    "static",
    "templates",
    "tests",
)
NOT_OURS = ("/vendor/", "/__pycache__/")  # fetched at set-up, never committed
# Hashes by the thousand, of which the installer makes sure.
HASHES = (".lock", "package-lock.json")

# detect-secrets takes a minute over all lines, so it sees those that have what its detectors look for: something long
# in quotes, a name of a secret that gets a value, an address with a password, the mark of a well-known kind of key.
CANDIDATE = re.compile(
    r"""["'][\w+/=.\-]{20,}["']
    | (?:api_?key|auth_?key|credential|passw|pwd|private_?key|secret|token)\w*["']?\]?\s*[:=]
    | ://[^/\s:@]+:[^/\s:@]+@
    | PRIVATE\ KEY | AKIA | ghp_ | xox[abp] | eyJ | sk_live | glpat""",
    re.IGNORECASE | re.VERBOSE,
)

# Where what looks like a secret is none: a file, and the kind of finding.
OPEN = "the password of a person whom the test invents"
ALLOWED: dict[tuple[str, str], str] = {
    ("tests/api/test_parity.py", "Secret Keyword"): "the word of a reason",
    ("tests/settings/test_production.py", "Basic Auth Credentials"): "what production refuses",
    ("tests/settings/test_production.py", "Secret Keyword"): "what production refuses",
    ("app/config.py", "Basic Auth Credentials"): "the form of an address, in words",
    (
        "tests/settings/test_addresses.py",
        "Basic Auth Credentials",
    ): "addresses that are refused, or must not be shown",
    ("tests/observability/test_ready.py", "Basic Auth Credentials"): "addresses at which nobody is",
    ("tests/observability/test_logs.py", "Secret Keyword"): "what must not be logged",
    ("tests/observability/test_traces.py", "Secret Keyword"): OPEN,
    ("tests/webhooks/test_webhooks.py", "Basic Auth Credentials"): "an address that is refused",
    ("tests/cli/test_doctor.py", "Basic Auth Credentials"): "an address that must not be shown",
    ("tests/people/test_people_page.py", "Secret Keyword"): OPEN,
    ("tests/people/test_setup_links.py", "Secret Keyword"): OPEN,
    ("tests/security/authorisation.py", "Secret Keyword"): OPEN,
    ("tests/security/openid_provider.py", "Secret Keyword"): "of a client of the provider that the test starts",
    ("tests/security/test_limits.py", "Secret Keyword"): OPEN,
    ("tests/security/test_sessions.py", "Secret Keyword"): OPEN,
    ("tests/security/world.py", "Secret Keyword"): OPEN,
    ("tests/web/test_database_trouble.py", "Secret Keyword"): OPEN,
    ("tests/sampling/test_samples.py", "Hex High Entropy String"): "the hash of what is drawn",
    ("tests/way/helpers.py", "Hex High Entropy String"): "an id as Prolific makes them",
    ("tests/way/test_rules.py", "Hex High Entropy String"): "an id as Prolific makes them",
}


def _files() -> Iterator[Path]:
    yield from (path for path in PROJECT_ROOT.iterdir() if path.is_file())
    for folder in FOLDERS:
        yield from (path for path in (PROJECT_ROOT / folder).rglob("*") if path.is_file())


def _candidates(path: Path) -> list[str]:
    try:
        lines = path.read_text().splitlines()
    except UnicodeDecodeError:
        return []  # a picture
    return [line for line in lines if CANDIDATE.search(line)]


def _found(lines: list[str], suffix: str, folder: Path) -> set[str]:
    """The kinds of secret in these lines, which are read as a file of that kind."""
    excerpt = folder / f"excerpt{suffix}"
    excerpt.write_text("\n".join(lines))
    secrets = SecretsCollection()
    secrets.scan_file(str(excerpt))
    return {finding.type for _, finding in secrets}


def test_the_tree_holds_no_secret(tmp_path: Path) -> None:
    found: set[tuple[str, str]] = set()
    looked_at = 0
    with default_settings():
        for path in _files():
            name = path.relative_to(PROJECT_ROOT).as_posix()
            if name.endswith(HASHES) or any(each in f"/{name}" for each in NOT_OURS):
                continue
            looked_at += 1
            if lines := _candidates(path):
                found |= {(name, kind) for kind in _found(lines, path.suffix, tmp_path)}
    assert looked_at > 500
    assert found - ALLOWED.keys() == set(), "take it out, and change it wherever it is in use"
    assert ALLOWED.keys() - found == set(), "these are clean now: take them off the list"


@pytest.mark.parametrize(
    "line",
    [
        f'password = "{"correct-horse"}-{"battery"}"',
        f'AWS_KEY = "{"AKIA"}{"IOSFODNN7EXAMPL1"}"',
        f"-----BEGIN RSA {'PRIVATE'} KEY-----",
        f'url = "postgresql://jury:{"hunter2hunter2"}@db.example/jury"',
        f'token = "{"ghp_"}{"a1B2" * 9}"',
        f'key = "{"c3VwZXIgbG9uZyBz"}{"dHJpbmcgc2hvdWxk"}{"IGNhdXNlIGVub3VnaCBl"}{"bnRyb3B5"}"',
    ],
)
def test_the_search_finds_what_it_looks_for(line: str, tmp_path: Path) -> None:
    with default_settings():
        assert _found([each for each in [line] if CANDIDATE.search(each)], ".py", tmp_path)
