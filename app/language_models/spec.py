"""Which model: what is stored of a choice, and what it takes to open it again."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Literal, get_args

from app.language_models.protocol import ModelError

BACKENDS = ("hugging_face", "openai", "replay")
Precision = Literal["auto", "fp32", "bf16", "fp16"]
PRECISIONS = get_args(Precision)
# Whoever chooses a model chooses where its key is sent: no other secret of a worker may go that way.
KEY_VARIABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*_API_KEY")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model, as JSON can hold it. No secret is in it: a key is named by its environment variable.

    ``name`` is, for ``hugging_face``, a folder, a ``.gguf`` file, an id on the hub, or ``packaged:`` and one of
    ``packaged.PACKAGED``; for ``openai`` the name that the endpoint knows; for ``replay`` a JSONL file.
    """

    backend: str
    name: str
    revision: str | None = None  # of a hub id: branch, tag or commit
    gguf_file: str | None = None  # which file of a folder or repository, if that holds GGUF files
    trust_remote_code: bool = False
    endpoint: str | None = None  # of an OpenAI-compatible server: http://127.0.0.1:8000/v1
    key_variable: str | None = None  # the environment variable that holds its key; ends in _API_KEY
    device: str = "auto"  # "cpu", "cuda", "cuda:1"; "auto" is a GPU where there is one
    precision: Precision = "auto"  # "auto" is what the device is made for
    cache_dir: str | None = None  # where converted and downloaded files are kept
    label: str | None = None  # what people call it

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise ModelError(f"There is no backend {self.backend!r} for models. Known: {', '.join(BACKENDS)}.")
        if self.precision not in PRECISIONS:
            raise ModelError(f"There is no precision {self.precision!r}; choose one of {', '.join(PRECISIONS)}.")
        if not self.name.strip():
            raise ModelError("A model needs a name: a folder, a file, or an id; give one.")
        if self.backend == "openai" and not self.endpoint:
            raise ModelError(f"Model {self.name!r} is behind an endpoint; give its address, which ends in /v1.")
        if self.key_variable and not KEY_VARIABLE.fullmatch(self.key_variable):
            raise ModelError(
                f"The environment variable {self.key_variable!r} can't hold a model's key; name one that ends in "
                "_API_KEY, so that no other secret of a worker is ever sent."
            )

    @property
    def shown(self) -> str:
        """What tables and pages call it."""
        return self.label or self.name

    def as_json(self) -> dict[str, object]:
        """What a row stores: only what differs from the defaults."""
        defaults = {field.name: field.default for field in fields(self)}
        return {name: value for name, value in asdict(self).items() if value != defaults[name]}

    @classmethod
    def from_json(cls, stored: Mapping[str, object]) -> "ModelSpec":
        """The choice that ``as_json`` wrote; ModelError names what it doesn't know or lacks."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(stored.keys() - known):
            raise ModelError(f"A stored model has fields that are not known here: {', '.join(unknown)}.")
        if missing := sorted({"backend", "name"} - stored.keys()):
            raise ModelError(f"A stored model lacks: {', '.join(missing)}.")
        return cls(**stored)  # type: ignore[arg-type]
