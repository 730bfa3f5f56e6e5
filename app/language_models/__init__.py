"""Language models: generation, log-probabilities, embeddings, masked tokens.

The one room that imports torch and transformers, and only inside functions.
"""

from pathlib import Path

from app.language_models.protocol import Completion, LanguageModel, ModelError, Prompt, Sampling
from app.language_models.spec import ModelSpec

__all__ = ["Completion", "LanguageModel", "ModelError", "ModelSpec", "Prompt", "Sampling", "open_model"]


def open_model(spec: ModelSpec) -> LanguageModel:
    """Load the model, or make ready to ask it; ModelError says what to change."""
    if spec.backend == "replay":
        from app.language_models.replay import ReplayModel  # noqa: PLC0415

        return ReplayModel(Path(spec.name), spec.shown)
    if spec.backend == "openai":
        from app.language_models.openai_compatible import OpenAICompatibleModel  # noqa: PLC0415

        return OpenAICompatibleModel(spec)
    from app.language_models.hugging_face import HuggingFaceModel  # noqa: PLC0415

    return HuggingFaceModel(spec)
