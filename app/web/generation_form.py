"""The form of a new generation: what was typed, what is wrong with it, and the parameters that it means."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from app.config import Settings
from app.language_models import ModelError
from app.language_models.packaged import PREFIX, WRITERS, find_packaged
from app.language_models.spec import Precision
from app.services.generation.opening import check_spec, upload_name, usual_samples
from app.services.generation.parameters import REPLAY, GenerationParameters
from app.services.generation.replaying import CANONICAL
from app.storage.models import Artifact
from app.web.forms import EmptyIsNone, FormInvalid, FormModel, FormState, Verbatim, error_in_words, read_form
from app.words import gettext

Name = Annotated[str, Field(max_length=500)]
Whole = Annotated[Annotated[int, Field(ge=1, le=20_000)] | None, EmptyIsNone]


class GenerationForm(FormModel):
    """One generation as the page asks for it. Of the fields of models, those of the chosen backend count."""

    backend: Literal["packaged", "hub", "folder", "gguf", "endpoint", "canonical", "replay"]
    packaged: Name = ""
    hub: Name = ""
    revision: Name = ""
    precision: Precision = "auto"
    folder: Name = ""
    gguf: Name = ""
    endpoint: Name = ""
    served: Name = ""
    key_variable: Annotated[str, Field(pattern=r"^([A-Za-z][A-Za-z0-9_]{0,90}_API_KEY)?$")] = ""
    upload: Name = ""
    label: Annotated[str, Field(max_length=200)] = ""
    prompting: Literal["plain", "chat"] = "plain"
    prompt_mode: Literal["plain", "partial"] = "plain"
    decoding: Literal["greedy", "sampling"] = "greedy"
    temperature: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = 0.8
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.95
    samples: Annotated[Annotated[int, Field(ge=1, le=1_000)] | None, EmptyIsNone] = None
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    max_tokens: Annotated[int, Field(ge=1, le=32_768)] = 512
    stop: Annotated[Verbatim, Field(max_length=5_000)] = ""
    cut_rule: Literal["function", "humaneval", "fenced", "none"] = "function"
    which: Literal["all", "first"] = "all"
    first: Whole = None
    do: Literal["sample", "all"] = "sample"

    @property
    def is_replayed(self) -> bool:
        """Whether the completions are in a file already."""
        return self.backend in (REPLAY, CANONICAL)

    @property
    def first_problems(self) -> int | None:
        """Of how many problems from the beginning; None: of all."""
        return self.first if self.which == "first" else None


def usual_values() -> dict[str, Any]:
    """What the form begins with."""
    there = [name for name in WRITERS if find_packaged(name)]
    values = {name: field.default for name, field in GenerationForm.model_fields.items() if name != "backend"}
    return values | {"backend": "packaged" if there else "hub", "packaged": there[0] if there else "", "first": 20}


def packaged_models() -> list[tuple[str, bool]]:
    """Packaged models that write, and whether each is installed."""
    return [(name, find_packaged(name) is not None) for name in WRITERS]


def read_generation(
    posted: Mapping[str, str], upload: Artifact | None, settings: Settings | None = None
) -> tuple[GenerationForm, GenerationParameters]:
    """The form and what it means; FormInvalid names the fields that can't be used.

    With ``settings`` a file of completions is looked into for how many samples it holds, where the form doesn't say.
    """
    form = read_form(GenerationForm, dict(posted))
    errors = _errors(form, upload)
    if errors:
        raise FormInvalid(FormState(dict(posted), errors))
    try:
        parameters = GenerationParameters.model_validate(_values(form, upload, settings))
        check_spec(parameters.spec)
    except ValidationError as error:
        found = {_field(each["loc"]): error_in_words(each) for each in error.errors()}
        raise FormInvalid(FormState(dict(posted), found)) from None
    except ModelError as error:
        place = "completions" if form.backend == REPLAY else "backend"
        raise FormInvalid(FormState(dict(posted), {place: str(error)})) from None
    return form, parameters


def _field(place: tuple[int | str, ...]) -> str:
    """Where on the form an error of the parameters belongs."""
    name = str(place[0]) if place else ""
    return name if name in GenerationForm.model_fields else ""


def _errors(form: GenerationForm, upload: Artifact | None) -> dict[str, str]:
    """What is missing of what was chosen."""
    errors: dict[str, str] = {}
    needed = {"endpoint": ("endpoint", "served"), REPLAY: (), CANONICAL: ()}.get(form.backend, (form.backend,))
    for name in needed:
        if not getattr(form, name):
            errors[name] = gettext("This is needed.")
    if form.backend == "endpoint" and form.endpoint and not form.endpoint.startswith(("http://", "https://")):
        errors["endpoint"] = gettext("An address begins with http:// or https://.")
    if form.backend == "gguf" and form.gguf and not form.gguf.endswith(".gguf"):
        errors["gguf"] = gettext("Name a file that ends in .gguf.")
    if form.backend == REPLAY and upload is None:
        errors["completions"] = gettext("Choose a file of completions.")
    if form.decoding == "greedy" and (form.samples or 1) > 1 and not form.is_replayed:
        errors["samples"] = gettext(
            "At temperature 0 every sample is the same; ask for one, or raise the temperature."
        )
    if form.decoding == "sampling" and form.temperature == 0:
        errors["temperature"] = gettext("Above 0, or choose greedy.")
    if form.which == "first" and form.first is None:
        errors["first"] = gettext("Say how many.")
    if len(_stops(form)) > 16 or any(len(each) > 200 for each in _stops(form)):
        errors["stop"] = gettext("At most 16 stop strings, of at most 200 characters each.")
    return errors


def _values(form: GenerationForm, upload: Artifact | None, settings: Settings | None) -> dict[str, Any]:
    draws = form.decoding == "sampling" and not form.is_replayed  # a file holds its samples already
    spec = spec_of(form, upload)
    return {
        "spec": spec,
        "label": form.label or _usual_label(form, upload),
        "temperature": form.temperature if draws else 0.0,
        "top_p": form.top_p if draws else 1.0,
        "max_tokens": form.max_tokens,
        "stop": _stops(form),
        "chat": form.prompting == "chat",
        "samples": _samples(form, spec, settings),
        "seed": form.seed,
        "cut_rule": "none" if form.backend == CANONICAL else form.cut_rule,
        "prompt_mode": "plain" if form.backend == CANONICAL else form.prompt_mode,
    }


def _samples(form: GenerationForm, spec: dict[str, Any], settings: Settings | None) -> int:
    if form.backend == CANONICAL:
        return 1
    return form.samples or (usual_samples(settings, spec) if settings else 1)


def spec_of(form: GenerationForm, upload: Artifact | None) -> dict[str, Any]:
    """The model as a row stores it."""
    if form.backend == "endpoint":
        found = {"backend": "openai", "name": form.served, "endpoint": form.endpoint}
        return found | ({"key_variable": form.key_variable} if form.key_variable else {})
    if form.is_replayed:
        assert upload is not None, "looked at before"
        return {"backend": "replay", "name": upload_name(upload.sha256), "label": upload.file_name}
    name = f"{PREFIX}{form.packaged}" if form.backend == "packaged" else getattr(form, form.backend)
    spec = {"backend": "hugging_face", "name": name}
    if form.precision != "auto":
        spec["precision"] = form.precision
    return spec | ({"revision": form.revision} if form.backend == "hub" and form.revision else {})


def _usual_label(form: GenerationForm, upload: Artifact | None) -> str:
    """The model's own name, and how tokens are chosen."""
    if form.backend == CANONICAL:
        return CANONICAL
    if form.backend == REPLAY:
        return (upload.file_name if upload else form.backend)[:200]
    name = form.served if form.backend == "endpoint" else getattr(form, form.backend)
    short = name.rstrip("/").rpartition("/")[2].removesuffix(".gguf")
    how = gettext("greedy") if form.decoding == "greedy" else f"T={form.temperature:g}"
    return f"{short[:180]} {how}"


def _stops(form: GenerationForm) -> tuple[str, ...]:
    r"""One a line; \n and \t stand for what they usually do."""
    return tuple(each.replace("\\n", "\n").replace("\\t", "\t") for each in form.stop.split("\n") if each)
