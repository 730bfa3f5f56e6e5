"""What people named can't hide characters or move others about, on any page."""

import re

import pytest
from sqlalchemy import update

from app.storage.models import Annotator, Benchmark, Generation, Invitation, Study, System, User
from app.web.code_view import plain_text, visible_name
from tests.security.authorisation import EXPECTED
from tests.security.world import World

TRICKS = "\u202ebad\u202c \u2066x\u2069 z\u200bero \u3164"
HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u3164]")
MARK = re.compile('<bdi class="hidden-character"[^>]*>.</bdi>')
# What a form holds must come back as it was, and an address or a value is not read.
KEPT = re.compile(r'<textarea.*?</textarea>|\s(?:value|href|action|name|data-sort)="[^"]*"', re.DOTALL)


@pytest.mark.sqlite_is_enough
@pytest.mark.parametrize("key", sorted(key for key in EXPECTED if key.startswith("GET ")))
def test_names_are_marked_on_each_page(world: World, key: str) -> None:
    with world.database.write() as session:
        session.execute(update(Study).values(title=TRICKS, description=TRICKS))
        session.execute(update(User).values(name=TRICKS))
        session.execute(update(Annotator).values(name=TRICKS))
        session.execute(update(Annotator).where(Annotator.study_id == 1).values(pseudonym=TRICKS))
        session.execute(update(Invitation).values(label=TRICKS))
        session.execute(update(Benchmark).values(name=TRICKS))
        session.execute(update(Generation).values(label=TRICKS))
        session.execute(update(System).where(System.id == 1).values(name=TRICKS))
    for principal in ("anonymous", "annotator", "researcher", "admin"):
        answer = world.client(principal).get(world.address(key.removeprefix("GET ")))
        if answer.headers.get("content-type", "").startswith("text/html"):
            rest = KEPT.sub("", MARK.sub("", answer.text))
            assert [rest[max(0, each.start() - 80) : each.end()] for each in HIDDEN.finditer(rest)] == []


def test_ordinary_names_stay_as_they_are() -> None:
    for name in ("Čeština & co", "名前", "5\u00a0%", "a\tb"):
        assert plain_text(name) == name
        assert "hidden-character" not in visible_name(name)
    assert visible_name("<b>") == "&lt;b&gt;"
    assert visible_name("a\u202eb").count("U+202E") == 1
