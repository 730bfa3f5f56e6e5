"""Which language a request is answered in, and how a reader changes it."""

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from app.web.languages import accepted
from app.words import LANGUAGES, TRANSLATIONS

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT", "de"),
        ("DE-de;q=1.0", "de"),
        ("fr, de;q=0.7, en;q=0.3", "de"),
        ("en, de", "en"),
        ("de;q=0.4, en;q=0.8", "en"),
        ("de;q=0, fr", "en"),
        ("*", "en"),
        ("de;q=high, ;;,", "en"),
    ],
)
def test_the_browser_s_languages_are_heeded(header: str, code: str) -> None:
    assert accepted(header).code == code


@pytest.mark.sqlite_is_enough
def test_pages_speak_the_browser_s_language_and_errors_do(client: TestClient) -> None:
    page = client.get("/sign-in", headers=GERMAN)
    assert '<html lang="de" dir="ltr">' in page.text
    assert "<h1>Anmelden</h1>" in page.text
    assert "Unter dieser Adresse gibt es keine Seite." in client.get("/nowhere", headers=GERMAN).text
    told = client.get("/nowhere", headers=GERMAN | {"Accept": "application/json"}).json()
    assert told["title"] == "Nicht gefunden"
    plain = client.get("/sign-in")
    assert '<html lang="en" dir="ltr">' in plain.text
    assert "<h1>Sign in</h1>" in plain.text


@pytest.mark.sqlite_is_enough
def test_the_unexpected_is_told_in_the_reader_s_language(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("app.services.users.has_admin", fail)
    careful = TestClient(client.app, base_url="http://localhost", raise_server_exceptions=False)
    page = careful.get("/", headers=GERMAN)
    assert page.status_code == 500
    assert "Der Fehler wurde unter" in page.text
    assert '<html lang="de"' in page.text


@pytest.mark.sqlite_is_enough
def test_a_choice_is_kept_and_goes_before_the_browser_s(client: TestClient) -> None:
    from_page = {"Referer": "http://localhost/sign-in?next=/people"}
    answer = client.post("/language", data={"language": "de"}, headers=from_page, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/people")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "<h1>Anmelden</h1>" in client.get("/sign-in", headers={"Accept-Language": "en"}).text


@pytest.mark.sqlite_is_enough
def test_a_language_form_leads_nowhere_else(client: TestClient) -> None:
    for target in ("//evil.example/", "https://evil.example/", "https://evil.example//evil.example/", ""):
        for form, headers in (({"next": target}, {}), ({}, {"Referer": target})):
            chosen = {"language": "de", **form}
            answer = client.post("/language", data=chosen, headers=headers, follow_redirects=False)
            assert answer.headers["location"] == "/"
    for unknown in ("xx", "../de", ""):
        answer = client.post("/language", data={"language": unknown})
        assert answer.status_code == 422
        assert "set-cookie" not in answer.headers


def test_every_folder_of_translations_is_a_language_with_a_name_of_its_own() -> None:
    assert {"en"} | {path.name for path in TRANSLATIONS.iterdir()} == LANGUAGES.keys()
    assert LANGUAGES["de"].name == "Deutsch"


@pytest.mark.browser
def test_a_reader_changes_the_language_without_scripts(browser: Browser, live_server: str) -> None:
    with browser.new_context(java_script_enabled=False, locale="en-US") as context:
        page = context.new_page()
        page.goto(f"{live_server}/sign-in?next=/people")
        page.get_by_role("button", name="Deutsch").click()
        expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
        assert page.url == f"{live_server}/sign-in?next=/people"
        page.get_by_role("button", name="English").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.browser
def test_scripts_speak_the_page_s_language(browser: Browser, live_server: str) -> None:
    with browser.new_context(locale="de-DE", timezone_id="Europe/Berlin", color_scheme="light") as context:
        page = context.new_page()
        page.goto(f"{live_server}/sign-in")
        expect(page.get_by_role("button", name="Dunkles Design")).to_be_visible()
        said = page.evaluate(
            """async () => {
                const { t, tn, locale } = await import("/static/js/words.js");
                document.body.insertAdjacentHTML("beforeend", '<time datetime="2026-11-27T13:05:00Z">x</time>');
                document.dispatchEvent(new CustomEvent("htmx:load", { detail: { elt: document.body } }));
                const time = document.querySelector("time");
                return [t("Copied"), t("{a} not known", { a: 1 }), locale, time.textContent, time.title];
            }"""
        )
        assert said == ["Kopiert", "1 not known", "de", "27. Nov. 2026, 14:05", "2026-11-27T13:05:00.000Z"]
