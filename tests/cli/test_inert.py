"""What a terminal shows of other people's text steers nothing: no colours, no links, no line written over."""

import re
import sys

import pytest
import structlog

from app import cli
from app.errors import InvalidInput, Problem
from app.logs import configure_logging
from app.words import inert

HOSTILE = "\x1b[2J\x1b]8;;http://evil.example\x07click\x1b]8;;\x07\rover\x08\x9b31m"


def is_inert(text: str) -> bool:
    return not any(letter in text for letter in "\x1b\x07\x08\r\x9b")


def test_controls_are_spelled_out_and_all_else_stays() -> None:
    assert inert("é 家\tx\n") == "é 家\tx\n"
    assert inert("\x1b[31mred\r") == "\\x1b[31mred\\r"


@pytest.mark.fault("F36")
def test_logs_are_inert(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging()
    log = structlog.get_logger()
    log.error("run_failed", name=HOSTILE)
    try:
        raise ValueError(HOSTILE)
    except ValueError as error:
        log.error("run_failed", exc_info=error)
    written = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().err)  # the log's own colours
    assert "evil.example" in written
    assert "ValueError" in written
    assert is_inert(written)


@pytest.mark.fault("F36")
def test_errors_of_the_command_line_are_inert(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise InvalidInput("Bad rows.", [Problem(f"a system named {HOSTILE}", row=2)])

    monkeypatch.setattr(cli, "make_cli", lambda: fail)
    monkeypatch.setattr(sys, "argv", ["codejury"])
    with pytest.raises(SystemExit):
        cli.main()
    written = capsys.readouterr().err
    assert "evil.example" in written
    assert is_inert(written)
