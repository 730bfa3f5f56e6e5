"""Metrics that need an encoder, and whether this machine has the packaged one."""

from app.language_models.libraries import transformers_library
from app.language_models.packaged import find_packaged
from app.language_models.protocol import ModelError
from tests.shared_data import skip_or_fail

NAMES = ("codebertscore_f1", "codebertscore_f3", "embedding_cosine")


def need_encoder(name: str) -> None:
    """Leave the test of this metric out, with a reason, where its encoder can't run."""
    if name not in NAMES:
        return
    if find_packaged("minilm") is None:
        skip_or_fail("The packaged encoder is missing; `make setup-small-models` installs it.")
    try:
        transformers_library()
    except ModelError as error:
        skip_or_fail(str(error))
