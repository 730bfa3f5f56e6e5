"""Every catalogue holds what the sources hold, all of it translated, and nothing that would break a page."""

import re
from collections.abc import Iterator

import pytest
from babel.messages.catalog import Message

from app.words import ENGLISH, LANGUAGES, Language, catalogue, catalogue_path, gettext, language, ngettext, speaking
from scripts.words import collected, untranslated, updated, written

OTHERS = sorted(LANGUAGES.keys() - {ENGLISH.code})
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%%|\{\w+\}")
TAG = re.compile(r"<[^>]*>")


def forms(message: Message) -> Iterator[tuple[str, str]]:
    """Each translation beside the message that it must agree with."""
    if isinstance(message.id, str):
        yield message.id, str(message.string)
    else:
        yield from ((message.id[min(number, 1)], form) for number, form in enumerate(message.string))


def test_there_is_a_second_language() -> None:
    assert "de" in OTHERS


@pytest.mark.parametrize("code", OTHERS)
def test_the_catalogue_is_up_to_date(code: str) -> None:
    assert catalogue_path(code).read_bytes() == written(updated(code)), "run `make words`, then translate what is new"


@pytest.mark.parametrize("code", OTHERS)
def test_everything_is_translated(code: str) -> None:
    assert list(untranslated(catalogue(code))) == []


@pytest.mark.parametrize("code", OTHERS)
def test_placeholders_and_markup_agree(code: str) -> None:
    for message in catalogue(code):
        for source, translation in forms(message) if message.id else ():
            for pattern in (PLACEHOLDER, TAG):
                assert sorted(pattern.findall(source)) == sorted(pattern.findall(translation)), translation
            # A straight one would end the attribute that the words stand in.
            assert '"' not in TAG.sub("", translation), translation
            assert "%" not in PLACEHOLDER.sub("", translation), f"a percent sign is written %%: {translation}"


def test_sources_keep_to_what_translations_must() -> None:
    for message in collected():
        for source in [message.id] if isinstance(message.id, str) else message.id:
            assert '"' not in TAG.sub("", source), source
            assert "%" not in PLACEHOLDER.sub("", source), f"a percent sign is written %%: {source}"


def test_words_come_in_the_language_that_is_spoken() -> None:
    german: Language = LANGUAGES["de"]
    with speaking(german):
        assert language() is german
        assert gettext("row %(number)s", number=7) == "Zeile 7"
        one, many = "%(count)s run before this one", "%(count)s runs before this one"
        assert [ngettext(one, many, n, count=n) for n in (0, 1, 2)] == [
            "0 Läufe vor diesem",
            "1 Lauf vor diesem",
            "2 Läufe vor diesem",
        ]
    assert gettext("row %(number)s", number=7) == "row 7"
