"""One model is kept in a process: loading takes seconds to minutes, and two may not fit."""

from threading import Lock

from app.language_models import open_model
from app.language_models.protocol import LanguageModel
from app.language_models.spec import ModelSpec

_lock = Lock()
_kept: tuple[ModelSpec, LanguageModel] | None = None


def get(spec: ModelSpec) -> LanguageModel:
    """The open model of this choice; another one that was kept is closed first."""
    global _kept  # noqa: PLW0603
    with _lock:
        if _kept is not None and _kept[0] == spec:
            return _kept[1]
        _close()
        model = open_model(spec)
        _kept = (spec, model)
        return model


def close() -> None:
    """Let go of the model that is kept, if there is one."""
    with _lock:
        _close()


def _close() -> None:
    global _kept  # noqa: PLW0603
    if _kept is not None:
        _kept[1].close()
        _kept = None
