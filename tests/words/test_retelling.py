"""What a run told in English is told again in the reader's language."""

from collections.abc import Iterator

import pytest
from babel.messages.catalog import Message

from app import words
from app.services.imports.storing import message_of
from app.services.runs import retelling
from app.services.runs.ending import CANCELLED
from app.services.runs.retelling import PLACE, retold
from app.words import catalogue, gettext, ngettext, speaking
from scripts.words import collected

GERMAN = words.LANGUAGES["de"]


def filled() -> Iterator[tuple[str, str]]:
    """Each message of the catalogue with places, filled in as English and as German have it."""
    for message in catalogue("de"):
        if isinstance(message.id, str) and not message.context and (names := set(PLACE.findall(message.id))):
            values = {name: f"value{place}" for place, name in enumerate(sorted(names))}
            yield message.id % values, str(message.string) % values


def test_nearly_every_message_with_values_is_known_again() -> None:
    pairs = [(english, german) for english, german in filled() if sum(map(str.isalpha, english)) > 20]
    with speaking(GERMAN):
        right = [retold(english) == german for english, german in pairs]
    assert len(right) > 300
    assert sum(right) > 0.97 * len(right)


def test_lines_are_told_one_by_one_and_what_is_unknown_stays() -> None:
    lines = [gettext("There is no such run."), "Traceback of 100 %", "", gettext("This is no JSON object.")]
    with speaking(GERMAN):
        told = retold("\n".join(lines)).split("\n")
        assert told == [gettext("There is no such run."), lines[1], "", gettext("This is no JSON object.")]
    assert told[0] != lines[0]
    assert retold("\n".join(lines)) == "\n".join(lines), "English stays as it was stored"


def test_numbers_are_written_as_the_reader_writes_them() -> None:
    message = "%(number)s scores by CodeJury's own metrics were left out: they are computed here again."
    stored = gettext(message, number="1,234")
    with speaking(GERMAN):
        assert retold(stored) == gettext(message, number="1.234")


@pytest.mark.parametrize("number", [1, 2, 1234])
def test_plurals_follow_the_number(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    one, many = "%(num)s item is short of grades.", "%(num)s items are short of grades."
    monkeypatch.setattr(retelling, "catalogue", lambda _: [Message((one, many))])
    retelling._known.cache_clear()
    try:
        stored = ngettext(one, many, number, num=f"{number:,}")
        with speaking(GERMAN):
            assert retold(stored) == ngettext(one, many, number, num=f"{number:,}".replace(",", "."))
    finally:
        retelling._known.cache_clear()


def test_what_runs_tell_stands_in_the_catalogue() -> None:
    known = {message.id if isinstance(message.id, str) else message.id[0] for message in collected()}
    assert CANCELLED in known
    assert {"Writing the file", "rows", "Scoring with %(metric)s", "%(num)s problem was added."} <= known


def test_an_import_tells_each_count_on_a_line() -> None:
    told = message_of({"problems": 1, "outputs": 1200, "grades": 0}, 2, ["A note."])
    assert told == "1 problem was added.\n1,200 outputs were added.\n2 rows with errors were left out.\nA note."
