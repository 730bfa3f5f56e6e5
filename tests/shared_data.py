"""Where the real data is. It lies beside the checkout and is never part of it.

A test that needs it is skipped with a reason where it is absent; with CI=true it fails instead, so that a
machine without the data cannot pass for one that checked it.
"""

import json
import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT_KEY = "CODEJURY_SHARED_DATA"


def skip_or_fail(reason: str) -> NoReturn:
    """Leave the test out, saying why; where CI=true nothing may be left out, so fail."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"{reason} With CI=true nothing is skipped.", pytrace=False)
    pytest.skip(reason)


def shared_data(*parts: str) -> Path:
    """Path of a file or folder of the real data: ``shared_data("conala", "conala.json")``."""
    folder = Path(os.environ.get(ENVIRONMENT_KEY) or ROOT.parent / "shared" / "data")
    path = folder.joinpath(*parts)
    if not path.exists():
        skip_or_fail(
            f"Real data missing: {'/'.join(parts) or 'the folder'} is neither in ../shared/data beside the "
            f"checkout nor where {ENVIRONMENT_KEY} points."
        )
    return path


def load_json(*parts: str) -> Any:
    """The content of a JSON file of the real data."""
    return json.loads(shared_data(*parts).read_text(encoding="utf-8"))
