"""Opening a tokenizer and a model of any kind, with errors that say what to change."""

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from app.language_models.gguf import converted
from app.language_models.identity import folder_identity
from app.language_models.libraries import torch_library, transformers_library
from app.language_models.packaged import PREFIX, packaged
from app.language_models.protocol import ModelError
from app.language_models.spec import ModelSpec
from app.language_models.threads import choose_threads

Opened = TypeVar("Opened")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model on its device, ready to be asked, and what it is."""

    model: Any
    tokenizer: Any
    device: Any  # torch.device
    identity: str  # of the weights: commit of a hub id, else a hash of the files


def choose_device(wanted: str) -> Any:
    """The device of that name; "auto" is a GPU where there is one. ModelError if it isn't there."""
    torch = torch_library()
    if wanted == "auto":
        wanted = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ModelError(f"There is no device {wanted!r} here ({reason}); choose cpu, or auto.") from error
    return device


def choose_dtype(device: Any, precision: str = "auto") -> Any:
    """The one that was asked for; else bf16 on a GPU (fp16 on one that lacks it), and fp32 on a CPU.

    Most CPUs are slower with less. Those that multiply bf16 in tiles (AMX) are more than twice as quick with it, but
    then what a prompt is answered depends a little on those beside it, as on a GPU: so that is for people to choose.
    ModelError for a CPU that lacks the instructions: 45 times slower than fp32 where it was measured, it would look
    as if nothing came at all.
    """
    torch = torch_library()
    if device.type == "cpu" and precision in ("bf16", "fp16") and not _multiplies(precision):
        raise ModelError(
            f"The processor here has no instructions for {precision}, which would be tens of times slower than fp32; "
            "choose fp32, or a worker with a GPU."
        )
    if precision != "auto":
        return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[precision]
    if device.type != "cuda":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16


def _multiplies(precision: str) -> bool:
    """Whether torch's library for CPUs has kernels of that precision for this one."""
    return bool(getattr(torch_library().ops.mkldnn, f"_is_mkldnn_{precision}_supported")())


def load(spec: ModelSpec, kind: str) -> Loaded:
    """Load the model as ``kind``: a transformers Auto class for models, or "writer": causal or encoder-decoder."""
    transformers = transformers_library()
    device = choose_device(spec.device)
    if device.type == "cpu":
        choose_threads()
    source, options = _locate(spec)

    def open_all() -> tuple[Any, Any]:
        # The revision is in the options; which commit it was then, is in the signature.
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, **options)  # of the asked revision  # nosec B615
        config = transformers.AutoConfig.from_pretrained(source, **options)  # of the asked revision  # nosec B615
        model_class = getattr(transformers, _writer(config) if kind == "writer" else kind)
        dtype = choose_dtype(device, spec.precision)
        settings = options | {"config": config, "dtype": dtype, "output_loading_info": True}
        model, loading = model_class.from_pretrained(source, **settings)
        if kind == "writer":
            _check_writes(spec, config, loading["missing_keys"])
        return model.eval().to(device), tokenizer

    model, tokenizer = _explained(spec, open_all)
    if tokenizer.pad_token is None:
        _lend_padding(tokenizer, model)
    return Loaded(model, tokenizer, device, _identity(source, model))


def _writer(config: Any) -> str:
    return "AutoModelForSeq2SeqLM" if config.is_encoder_decoder else "AutoModelForCausalLM"


def _check_writes(spec: ModelSpec, config: Any, missing: Collection[str]) -> None:
    """ModelError for an encoder: transformers opens it all the same, with random numbers for what it lacks.

    Weights that a model shares with its embeddings are not among the missing ones.
    """
    remedy = "choose a causal or an encoder-decoder model."
    if missing:
        first = min(missing)
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        why = f"its files hold no weights for {first}{others}"
        raise ModelError(f"Model {spec.name!r} is no language model that writes: {why}; {remedy}")
    if any(each.endswith("ForMaskedLM") for each in config.architectures or ()):
        why = "it was trained to fill gaps, with what follows in view"
        raise ModelError(f"Model {spec.name!r} is no language model that writes: {why}; {remedy}")


def _lend_padding(tokenizer: Any, model: Any) -> None:
    """A tokenizer without padding gets any token for it: the attention mask hides it."""
    if tokenizer.eos_token is not None:
        tokenizer.pad_token = tokenizer.eos_token
        return
    ends = model.config.eos_token_id
    number = ends[0] if isinstance(ends, list) else ends
    tokenizer.pad_token = tokenizer.convert_ids_to_tokens(number if number is not None else 0)


def _locate(spec: ModelSpec) -> tuple[str | Path, dict[str, Any]]:
    """What transformers opens, and with which options."""
    options: dict[str, Any] = {"trust_remote_code": spec.trust_remote_code}
    path = find_files(spec)
    if path is not None:
        return (path if path.is_dir() else converted(path, cache_folder(spec))), options
    if spec.gguf_file:
        return converted(_fetch(spec, spec.gguf_file), cache_folder(spec)), options
    return spec.name, options | {"revision": spec.revision or "main", "cache_dir": spec.cache_dir}


def find_files(spec: ModelSpec) -> Path | None:
    """The folder or GGUF file on this machine that holds the model, None of one on the hub; ModelError where a path
    leads to neither. Nothing is opened, so that it can be asked before other work."""
    path = packaged(spec.name.removeprefix(PREFIX)) if spec.name.startswith(PREFIX) else Path(spec.name).expanduser()
    if spec.gguf_file and path.is_dir():
        path = path / spec.gguf_file
    if path.is_dir() and not (path / "config.json").exists():
        raise ModelError(f"The folder {path} holds no config.json; give a folder that a model was saved into.")
    if path.is_dir() or (path.suffix == ".gguf" and path.exists()):
        return path
    if _is_path(spec.name):
        raise ModelError(f"There is no model at {path}; give a folder, a .gguf file, or an id on the hub.")
    return None


def model_folder(spec: ModelSpec) -> Path | None:
    """The folder of a model that is one already, packaged ones included; None for any other."""
    name = spec.name
    path = packaged(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else Path(name).expanduser()
    return path if path.is_dir() else None


def cache_folder(spec: ModelSpec) -> Path:
    """Where converted files go: the caller's folder, else the user's own."""
    if spec.cache_dir:
        return Path(spec.cache_dir) / "converted"
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home).expanduser() / "codejury" / "converted"


def _is_path(name: str) -> bool:
    return name.startswith(("/", "./", "../", "~", PREFIX)) or name.endswith(".gguf") or name.count("/") > 1


def _fetch(spec: ModelSpec, file: str) -> Path:
    from huggingface_hub import hf_hub_download  # noqa: PLC0415

    revision = spec.revision or "main"
    return Path(
        _explained(spec, lambda: hf_hub_download(spec.name, file, revision=revision, cache_dir=spec.cache_dir))
    )


def _explained(spec: ModelSpec, open_it: Callable[[], Opened]) -> Opened:
    try:
        return open_it()
    except ModelError:
        raise
    except (OSError, ValueError, ImportError, RuntimeError, KeyError, AttributeError, AssertionError) as error:
        raise ModelError(_explain(spec, error)) from error


# What to say of an exception of one of these kinds, the most exact first.
EXPLANATIONS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("RevisionNotFoundError",), "has no revision {revision!r}; give a branch, a tag or a commit that it has."),
    (("GatedRepoError",), "is given only to who accepts its terms; accept them on the hub and set HF_TOKEN."),
    (
        ("LocalEntryNotFoundError", "OfflineModeIsEnabled", "ConnectionError", "ConnectError"),
        "is not on this machine and the hub can't be reached; give a folder, or connect the machine.",
    ),
    (
        ("RepositoryNotFoundError", "HFValidationError"),
        "is not on the hub, or this machine may not read it; check its id, or set HF_TOKEN.",
    ),
    (("EntryNotFoundError", "RemoteEntryNotFoundError"), "lacks a file that it needs ({first_line})."),
    (("OutOfMemoryError",), "does not fit into this device's memory; choose a smaller one, or another device."),
)


def _explain(spec: ModelSpec, error: BaseException) -> str:
    """One sentence about what to change, by the kinds of the exceptions that led here."""
    if "trust_remote_code" in str(error):
        words = "comes with Python code of its own, which runs only if an admin's setting names this model."
    else:
        kinds = {type(each).__name__ for each in _causes(error)}
        fitting = (words for names, words in EXPLANATIONS if kinds & set(names))
        words = next(fitting, "can't be loaded: {first_line}")
    return f"Model {spec.name!r} " + words.format(revision=spec.revision, first_line=_first_line(error))


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _identity(source: str | Path, model: Any) -> str:
    if isinstance(source, Path):
        return folder_identity(source)
    return str(getattr(model.config, "_commit_hash", None) or "unknown")
