"""torch and transformers, imported when first needed: both take seconds, and a base installation has neither."""

import os
from types import ModuleType

from app.language_models.protocol import ModelError

REMEDY = "run `make setup-models`, or install codejury with the extra `models`"


def torch_library() -> ModuleType:
    """torch; ModelError where it is missing.

    Its threads sleep while they wait, unless somebody wants otherwise: on a machine that does other work as well,
    threads that spin take from each other the cores on which they wait.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import torch  # noqa: PLC0415
    except ImportError as error:
        raise ModelError(f"Language models need torch, which is not installed here ({error}); {REMEDY}.") from error
    return torch  # type: ignore[no-any-return]


def transformers_library() -> ModuleType:
    """transformers, quiet; ModelError where it is missing."""
    torch_library()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else each fork of a worker is warned about
    try:
        import transformers  # noqa: PLC0415
    except ImportError as error:
        raise ModelError(f"Language models need transformers, not installed here ({error}); {REMEDY}.") from error
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers  # type: ignore[no-any-return]
