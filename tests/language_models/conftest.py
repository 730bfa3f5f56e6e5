"""Models for the tests: the packaged ones, converted once a session, and tiny ones that the tests make."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.language_models import ModelError, ModelSpec
from app.language_models.hugging_face import HuggingFaceModel
from app.language_models.libraries import transformers_library
from app.language_models.packaged import find_packaged
from tests.language_models import tiny
from tests.shared_data import skip_or_fail


@pytest.fixture(scope="session")
def model_libraries() -> None:
    """torch and transformers, or a reason to leave the test out."""
    try:
        transformers_library()
    except ModelError as error:
        skip_or_fail(str(error))


def _packaged(name: str) -> None:
    if find_packaged(name) is None:
        skip_or_fail(f"The packaged model {name} is missing; `make setup-small-models` installs it.")


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for converted models: conversion takes half a minute."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def smollm2_spec(model_libraries: None, model_cache: Path) -> ModelSpec:
    """The packaged causal model on the CPU."""
    _packaged("smollm2-135m")
    return ModelSpec("hugging_face", "packaged:smollm2-135m", device="cpu", cache_dir=str(model_cache))


@pytest.fixture(scope="session")
def smollm2(smollm2_spec: ModelSpec) -> Iterator[HuggingFaceModel]:
    """The packaged causal model, open."""
    model = HuggingFaceModel(smollm2_spec)
    yield model
    model.close()


@pytest.fixture(scope="session")
def minilm(model_libraries: None) -> ModelSpec:
    """The packaged encoder on the CPU."""
    _packaged("minilm")
    return ModelSpec("hugging_face", "packaged:minilm", device="cpu")


@pytest.fixture(scope="session")
def tiny_models(model_libraries: None, tmp_path_factory: pytest.TempPathFactory) -> tiny.TinyModels:
    """Random models of a few thousand numbers, saved as folders."""
    return tiny.make(tmp_path_factory.mktemp("tiny"))
