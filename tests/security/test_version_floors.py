"""No package is older than the version that mended a known fault, as installed and as locked.

A table of our own, since an audit that can't reach its database says that all is well. Reviewed: 28 Nov 2026.
"""

import re
from importlib.metadata import version

import pytest
from packaging.version import Version

from app.config import PROJECT_ROOT

LOCKED = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)

# The package, the first version without the faults, and what these are.
FLOORS: dict[str, tuple[str, str]] = {
    "starlette": (
        "1.3.0",
        "CVE-2025-62727, CVE-2026-48710 (BadHost), PYSEC-2026-248, CVE-2024-47874, CVE-2023-29159",
    ),
    "fastapi": ("0.65.2", "CVE-2021-32677: a form's text/plain was read as JSON"),
    "python-multipart": ("0.0.27", "CVE-2024-24762, -53981, CVE-2026-24486, -40347, -42561"),
    "jinja2": ("3.1.6", "CVE-2025-27516, CVE-2024-22195, -34064"),
    "redis": ("4.5.5", "CVE-2023-28858, -28859: another user's answer after a cancelled command"),
    "celery": ("5.6", "CVE-2021-23727, and memory that it didn't give back"),
    "kombu": ("5.6", "goes with celery"),
    "pillow": ("11.3", "CVE-2025-48379, CVE-2024-28219, CVE-2023-50447"),
    "pyarrow": ("14.0.1", "CVE-2023-47248: reading a file ran code"),
    "authlib": ("1.6.6", "CVE-2025-68158: a cached state was not bound to the browser; CVE-2025-59420, -61920"),
    "h11": ("0.16.0", "CVE-2025-43859"),
    "setuptools": ("78.1.1", "CVE-2025-47273"),
    "requests": ("2.32.4", "CVE-2024-47081, -35195"),
    "urllib3": ("2.6.0", "CVE-2025-66418, -66471, -50181"),
    "cryptography": ("44.0.1", "CVE-2024-12797"),
    "certifi": ("2024.7.4", "CVE-2024-39689"),
    "idna": ("3.7", "CVE-2024-3651"),
    "nltk": ("3.9.1", "CVE-2024-39705: data of others were unpickled"),
    "torch": ("2.8", "CVE-2025-32434, -2953, -3730"),
    "transformers": ("4.53", "CVE-2025-3933, -5197, -6638"),
}


@pytest.mark.parametrize("name", FLOORS)
@pytest.mark.parametrize("lock", ["run", "dev", "models"])
def test_a_locked_version_is_new_enough(name: str, lock: str) -> None:
    locked = dict(LOCKED.findall((PROJECT_ROOT / f"requirements/{lock}.lock").read_text()))
    if name in locked:
        floor, faults = FLOORS[name]
        assert Version(locked[name]) >= Version(floor), faults


def test_the_table_is_about_what_is_used() -> None:
    locks = "\n".join(path.read_text() for path in (PROJECT_ROOT / "requirements").glob("*.lock"))
    locked = {name for name, _ in LOCKED.findall(locks)}
    assert len(locked) > 80
    assert FLOORS.keys() - locked == set(), "nothing uses these any more: take them off the table"
    assert "flower" not in locked  # CVE-2022-30034, CVE-2022-51020


@pytest.mark.parametrize(
    "name", ["starlette", "fastapi", "python-multipart", "jinja2", "pillow", "authlib", "celery"]
)
def test_what_is_installed_is_new_enough(name: str) -> None:
    floor, faults = FLOORS[name]
    assert Version(version(name)) >= Version(floor), faults
