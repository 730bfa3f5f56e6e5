"""After signing in one lands on our own pages."""

import pytest

from app.web.redirects import local_path


@pytest.mark.parametrize("target", ["/", "/studies", "/studies/conala-2023?bins=2,5#top", "/a//b", "/%2F%2Fevil"])
def test_paths_of_our_own_are_kept(target: str) -> None:
    assert local_path(target) == target


@pytest.mark.parametrize(
    "target",
    [
        None, "", "studies", "//evil.example", "/\\evil.example", "\\\\evil", "https:evil.example", "https://evil.example",
        "javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", "/\r\nSet-Cookie: a=b", " /studies", "/ /evil",
        "/\x00", "/a\\b", "/é", "///evil", "/" + "a" * 3000, "/\x7f/evil",
    ],
)  # fmt: skip
def test_everything_else_becomes_the_start(target: str | None) -> None:
    assert local_path(target) == "/"
