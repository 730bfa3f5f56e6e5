"""Which transformations a set is made with: named ones, those of categories, or all that can run here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.errors import InvalidInput
from app.perturbations import Category, Mode, PerturbationError, Transformation, available, find
from app.services.perturbing.recipes import LeftOut
from app.words import gettext


@dataclass(frozen=True, slots=True)
class Choice:
    """Transformations by name, in the order of their categories, and those that can't run, with the reasons."""

    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


def choose(
    mode: Mode,
    language: str,
    *,
    names: Sequence[str] = (),
    categories: Sequence[Category] = (),
    released: Collection[str] = (),
) -> Choice:
    """The named ones, of which each must be able to run, and all others of the categories that can; without either,
    all that can. ``released``: those whose text can be taken from an imported set. InvalidInput names what can't be
    made and why."""
    named = [_named(name, mode, language, released) for name in dict.fromkeys(names)]
    wanted = set(categories) if names or categories else set(Category)
    of_categories = [each for each in available() if each.category in wanted and each not in named]
    hindered = [(each, hindrance(each, mode, language, released)) for each in of_categories]
    able = {each.name for each in named} | {each.name for each, why in hindered if why is None}
    left_out = tuple(LeftOut(name=each.name, reason=why) for each, why in hindered if why is not None)
    if not able:
        raise InvalidInput(
            gettext("No transformation that was asked for can be made here."),
            remedy="\n".join(f"{each.name}: {each.reason}" for each in left_out) or None,
        )
    return Choice(tuple(each.name for each in available() if each.name in able), left_out)


def hindrance(each: Transformation, mode: Mode, language: str, released: Collection[str] = ()) -> str | None:
    """Why this transformation can't be made; None where it can, or where its text is taken as it was released."""
    if each.name in released:
        return None
    if mode not in each.modes:
        return gettext("It is not made in the mode %(mode)s.", mode=mode)
    if language not in each.languages:
        return gettext("It does not change %(language)s.", language=language)
    return each.missing()


def _named(name: str, mode: Mode, language: str, released: Collection[str]) -> Transformation:
    try:
        found = find(name)
    except PerturbationError as error:
        raise InvalidInput(str(error)) from error
    if (why := hindrance(found, mode, language, released)) is not None:
        raise InvalidInput(
            gettext("%(name)s can't be made: %(reason)s", name=name, reason=why),
            remedy=gettext("Leave it out, or mend that."),
        )
    return found
