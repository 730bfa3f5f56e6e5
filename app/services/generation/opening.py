"""The one place where a model is opened, and where its text is cut."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from app.config import Settings
from app.errors import NotPermitted
from app.language_models import LanguageModel, ModelError, ModelSpec, loaded
from app.language_models.cutting import cut
from app.language_models.replay import file_signature, most_samples
from app.services.generation.parameters import REPLAY
from app.storage.files import files_of
from app.words import gettext

QUEUE = "gpu"
UPLOAD = "upload:"
_SHA256 = re.compile(r"[0-9a-f]{64}")


def take_model(spec: Mapping[str, Any], settings: Settings) -> LanguageModel:
    """The open model of that spec, kept in this process until another is taken; ModelError says why there is none."""
    check_trust(spec, settings.models_with_code)
    return loaded.get(ModelSpec.from_json(located(settings, spec)))


def check_trust(spec: Mapping[str, Any], trusted: Collection[str]) -> None:
    """NotPermitted where a model would run code of its own and is none of those that an admin trusts."""
    if spec.get("trust_remote_code") and spec["name"] not in trusted:
        raise NotPermitted(
            gettext("The model %(name)s wants to run code of its own.", name=repr(spec["name"])),
            remedy=gettext("An admin can name it in CODEJURY_TRUSTED_MODELS, for the web and for its workers."),
        )


def upload_name(sha256: str) -> str:
    """What a spec calls an uploaded file of completions: wherever it lies, it has this content."""
    return f"{UPLOAD}{sha256}"


def located(settings: Settings, spec: Mapping[str, Any]) -> dict[str, Any]:
    """The spec with the place of an uploaded file on this machine; ModelError where it is gone."""
    name = str(spec.get("name", ""))
    if not name.startswith(UPLOAD):
        return dict(spec)
    files, sha256 = files_of(settings), name.removeprefix(UPLOAD)
    if not _SHA256.fullmatch(sha256) or not files.has(sha256):
        raise ModelError(gettext("The file of completions is gone from the data folder; upload it again."))
    return {**spec, "name": str(files.path(sha256))}


def usual_samples(settings: Settings, spec: Mapping[str, Any]) -> int:
    """How many samples of each problem, where nobody says: of a file all that it holds, of a model one."""
    if spec["backend"] != REPLAY:
        return 1
    return most_samples(Path(located(settings, spec)["name"]), spec.get("label"))


def present_signature(settings: Settings, spec: Mapping[str, Any]) -> str | None:
    """The signature of a file of completions as it is now; None of a model, which tells it once it is loaded."""
    return file_signature(Path(located(settings, spec)["name"])) if spec["backend"] == REPLAY else None


def check_spec(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What a row stores of the choice; ModelError names what is wrong with it. Nothing is loaded."""
    return ModelSpec.from_json(spec).as_json()


def cut_text(rule: str, raw: str, prompt: str, entry_point: str | None) -> str:
    """What the named rule leaves of a completion; ModelError where there is no such rule."""
    try:
        return cut(rule, raw, prompt, entry_point)
    except ValueError as error:
        raise ModelError(str(error)) from error
