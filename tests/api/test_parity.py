"""Whatever the pages can change, a program can change, or it is said here why not."""

from fastapi import FastAPI

from app.web.access import declared_roles

API = "/api/"
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}

BROWSER = "belongs to a browser: sessions, cookies, the language"
PASSWORDS = "passwords, and the tokens that stand for them, are changed by their owner in a browser"
ANNOTATORS = "annotators answer on their own pages, which show them nothing that would tell systems apart"
NOTHING_STORED = "shows a page again, or how it would look; nothing is stored"

STUDY, V1 = "POST /studies/{slug}", "/api/v1/studies/{slug}"
PAGES: dict[str, str] = {
    "POST /language": BROWSER,
    "POST /sign-in": BROWSER,
    "POST /sign-out": BROWSER,
    "POST /account/sign-out-everywhere": BROWSER,
    "POST /account/sessions/{sign_in_id}/end": BROWSER,
    "POST /setup/{token}": PASSWORDS,
    "POST /account/password": PASSWORDS,
    "POST /account/tokens": PASSWORDS,
    "POST /account/tokens/{token_id}/revoke": PASSWORDS,
    "POST /people": "POST /api/v1/people",
    "POST /people/invitations": "POST /api/v1/people/invitations",
    "POST /people/invitations/{link_id}/revoke": "DELETE /api/v1/people/invitations/{link_id}",
    "POST /people/{user_id}/role": "PUT /api/v1/people/{user_id}/role",
    "POST /people/{user_id}/disable": "POST /api/v1/people/{user_id}/disable",
    "POST /people/{user_id}/enable": "POST /api/v1/people/{user_id}/enable",
    "POST /people/{user_id}/password-link": "POST /api/v1/people/{user_id}/password-link",
    "POST /studies/new": "POST /api/v1/studies",
    f"{STUDY}/desk": f"PATCH {V1}",
    f"{STUDY}/desk/message": f"PATCH {V1}",
    f"{STUDY}/desk/state": f"POST {V1}/state",
    f"{STUDY}/desk/targets": f"PUT {V1}/targets",
    f"{STUDY}/desk/copy": f"POST {V1}/copies",
    f"{STUDY}/desk/annotators/measure": f"POST {V1}/quality",
    f"{STUDY}/desk/annotators/{{annotator_id}}/link": f"POST {V1}/annotators/{{annotator_id}}/link",
    f"{STUDY}/desk/annotators/{{annotator_id}}/name": f"PUT {V1}/annotators/{{annotator_id}}/name",
    f"{STUDY}/desk/annotators/{{annotator_id}}/effect": f"POST {V1}/annotators/{{annotator_id}}/effect",
    f"{STUDY}/desk/annotators/{{annotator_id}}/exclude": f"POST {V1}/annotators/{{annotator_id}}/exclude",
    f"{STUDY}/desk/annotators/{{annotator_id}}/restore": f"POST {V1}/annotators/{{annotator_id}}/restore",
    f"{STUDY}/sample": f"POST {V1}/sample",
    f"{STUDY}/desk/webhooks": f"POST {V1}/webhooks",
    f"{STUDY}/desk/webhooks/{{webhook}}/test": f"POST {V1}/webhooks/{{webhook}}/test",
    f"{STUDY}/desk/webhooks/{{webhook}}/remove": f"DELETE {V1}/webhooks/{{webhook}}",
    f"{STUDY}/questionnaire/instruments": f"POST {V1}/questionnaire/instruments",
    f"{STUDY}/questionnaire/instruments/{{instrument_id}}": f"PUT {V1}/questionnaire/instruments/{{instrument_id}}",
    f"{STUDY}/questionnaire/instruments/{{instrument_id}}/move": (
        f"POST {V1}/questionnaire/instruments/{{instrument_id}}/move"
    ),
    f"{STUDY}/questionnaire/instruments/{{instrument_id}}/remove": (
        f"DELETE {V1}/questionnaire/instruments/{{instrument_id}}"
    ),
    f"{STUDY}/questionnaire/forms/{{kind}}": f"PUT {V1}/questionnaire/forms/{{kind}}",
    f"{STUDY}/way": f"PUT {V1}/way",
    f"{STUDY}/way/checks/lines": f"POST {V1}/checks",
    f"{STUDY}/way/checks/of/{{item_id}}": f"POST {V1}/checks/of/{{item_id}}",
    f"{STUDY}/way/checks/{{item_id}}/edit": f"PUT {V1}/checks/{{item_id}}",
    f"{STUDY}/way/checks/{{item_id}}/move": f"POST {V1}/checks/{{item_id}}/move",
    f"{STUDY}/way/checks/{{item_id}}/remove": f"DELETE {V1}/checks/{{item_id}}",
    f"{STUDY}/way/invitations": f"POST {V1}/invitations",
    f"{STUDY}/way/invitations/{{invitation_id}}/revoke": f"POST {V1}/invitations/{{invitation_id}}/revoke",
    f"{STUDY}/way/preview/{{stage}}": NOTHING_STORED,
    "POST /join/{token}/preview/{stage}": NOTHING_STORED,
    "POST /import": "POST /api/v1/imports/{kind}",
    "POST /import/{upload}": "POST /api/v1/imports/{kind}",
    f"{STUDY}/import": f"POST {V1}/imports/{{kind}}",
    f"{STUDY}/import/{{upload}}": f"POST {V1}/imports/{{kind}}",
    "POST /benchmarks/import": "POST /api/v1/benchmarks",
    "POST /benchmarks/{benchmark}/check": "POST /api/v1/benchmarks/{benchmark}/check",
    # Of a set the page adds what is new, as the API's .../perturbations/more does.
    "POST /benchmarks/{benchmark}/perturb": "POST /api/v1/benchmarks/{benchmark}/perturbations",
    "POST /perturbations/try": NOTHING_STORED,
    "POST /benchmarks/{benchmark}/study": "POST /api/v1/benchmarks/{benchmark}/study",
    "POST /benchmarks/{benchmark}/naturalness": "POST /api/v1/benchmarks/{benchmark}/checks",
    "POST /benchmarks/{benchmark}/survey": "POST /api/v1/benchmarks/{benchmark}/survey",
    "POST /benchmarks/{benchmark}/generate": "POST /api/v1/benchmarks/{benchmark}/generations",
    "POST /generations/{generation_id}/start": "POST /api/v1/generations/{generation_id}/start",
    "POST /generations/{generation_id}/execute": "POST /api/v1/generations/{generation_id}/execute",
    "POST /runs/{public_id}/cancel": "POST /api/v1/runs/{public_id}/cancel",
    "POST /runs/{public_id}/retry": "POST /api/v1/runs/{public_id}/retry",
    f"{STUDY}/analyses": f"POST {V1}/analyses",
    f"{STUDY}/reliability": f"POST {V1}/agreement",
    f"{STUDY}/execution": f"POST {V1}/execution",
    f"{STUDY}/export": f"POST {V1}/exports",
    **dict.fromkeys(
        (
            *("POST /join/{token}", "POST /me/{token}", "POST /way/consent", "POST /way/profile"),
            *("POST /way/closing", "POST /way/practice", "POST /grade/link", "POST /grade/message"),
            *("POST /grade/next", "POST /grade/{item}", "POST /grade/{item}/answer"),
        ),
        ANNOTATORS,
    ),
}
REASONS = {BROWSER, PASSWORDS, ANNOTATORS, NOTHING_STORED}
# Nothing is stored by these, so there is nothing to do once.
CHECKS = {
    f"POST {V1}/imports/grades/check",
    f"POST {V1}/imports/{{kind}}/check",
    f"POST {V1}/sample/check",
    "POST /api/v1/benchmarks/{benchmark}/survey/check",
    "POST /api/v1/benchmarks/{benchmark}/generations/estimate",
}


def _writes(app: FastAPI) -> set[str]:
    return {f"{method} {each.path}" for each in declared_roles(app) for method in each.methods & UNSAFE}


def test_each_page_that_writes_has_its_like_or_a_reason(app: FastAPI) -> None:
    writes = _writes(app)
    pages = {each for each in writes if API not in each}
    assert sorted(pages - PAGES.keys()) == [], "give these pages an address under /api/v1, or say why not"
    assert sorted(PAGES.keys() - pages) == []
    missing = {there for there in PAGES.values() if there not in REASONS} - writes
    assert sorted(missing) == []


def test_each_write_of_the_api_can_be_done_once(app: FastAPI) -> None:
    from app.web.api.openapi import document

    paths = document(app)["paths"]
    without = {
        f"{method.upper()} {path}"
        for path, methods in paths.items()
        for method, operation in methods.items()
        if method.upper() in UNSAFE
        and "Idempotency-Key" not in {each["name"] for each in operation.get("parameters", ())}
    }
    assert without == CHECKS
