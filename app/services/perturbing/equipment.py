"""Transformations that ask a model are given those of the settings."""

from app.config import Settings
from app.perturbations import provide

GUESSES = 50  # for each gap: the first ones are often the old name


def equip(settings: Settings) -> None:
    """To be called once in each process that looks at transformations. Nothing is loaded before it is asked."""
    if settings.translation_models is not None:
        _translate(*settings.translation_models)
    if settings.masked_model:
        _fill_gaps(settings.masked_model)


def _translate(there: str, back: str) -> None:
    from app.language_models import ModelSpec  # noqa: PLC0415 - of no use to most processes
    from app.language_models.translation import RoundTrip  # noqa: PLC0415
    from app.perturbations.docstring.back_translation import Translated  # noqa: PLC0415

    provide(Translated(RoundTrip(ModelSpec("hugging_face", there), ModelSpec("hugging_face", back))))


def _fill_gaps(model: str) -> None:
    from app.language_models import ModelSpec  # noqa: PLC0415
    from app.language_models.masked import GapFiller  # noqa: PLC0415
    from app.perturbations.syntax.var_renamer_cb import VarRenamerCB  # noqa: PLC0415

    provide(VarRenamerCB(GapFiller(ModelSpec("hugging_face", model), GUESSES)))
