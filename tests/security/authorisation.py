"""Who may use which route: one row a route and method, written down apart from the code.

Add a row for each new route; the walk in test_authorisation.py fails for a route without one, and for a row without a
route. Where a path holds a parameter that the walk doesn't know yet, give its value in ``world.py``.
"""

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Access:
    """The role that a route asks for, and what is special about it.

    ``form`` or ``json``: what to send, so that the deed would really be done by whoever gets through.
    ``own_study``: an annotator of another study must find nothing (404).
    ``reading_changes``: why a GET may change rows; empty for all others.
    """

    role: Literal["anyone", "annotator", "researcher", "admin", "scraper"]
    form: dict[str, Any] = field(default_factory=dict)
    own_study: bool = False
    reading_changes: str = ""
    json: Any = None

    @property
    def body(self) -> dict[str, Any]:
        """Arguments of a request that send it."""
        return {"json": self.json} if self.json is not None else {"data": self.form} if self.form else {}


ANYONE, ANNOTATOR, RESEARCHER, ADMIN = Access("anyone"), Access("annotator"), Access("researcher"), Access("admin")

LINE = '{"role": "practice", "intent": "i", "text": "t", "answers": {"helpfulness": 3}}'
WAY = {
    **dict.fromkeys(("practice_pass_mark", "loud_every", "silent_every", "repeat_every", "most_failed"), "7"),
    **dict.fromkeys(("practice_tries", "pause"), "3"),
    "practice_on_failing": "stop",
    "id_parameter": "who",
}

OUTPUT = {"problem": "p9", "intent": "i", "system": "s", "output": "o"}
GRADE = {"problem": "p0", "system": "system-0", "worker": "w", "label": 3}
TESTED = {"prompt": "def f():\n", "tests": "assert f()"}
WRITTEN = {"task_id": "b/0", "completion": "    return 1\n"}
CHECK = {"role": "practice", "intent": "i", "text": "t", "answers": {"helpfulness": 3}}
INSTRUMENT = {"title": "T", "questions": [{"text": "Q", "kind": "comment", "scale": {"most": 9}}]}

EXPECTED: dict[str, Access] = {
    "GET /": ANYONE,
    "GET /health": ANYONE,
    "GET /ready": ANYONE,
    "GET /metrics": Access("scraper"),
    "GET /status": ADMIN,
    "POST /language": Access("anyone", {"language": "de", "next": "/sign-in"}),
    # people
    "GET /sign-in": ANYONE,
    "POST /sign-in": Access("anyone", {"email": "admin@example.org", "password": "not the password"}),
    "GET /sign-in/openid": ANYONE,
    "GET /sign-in/openid/callback": ANYONE,
    "POST /sign-out": ANYONE,
    "GET /setup/{token}": ANYONE,
    "POST /setup/{token}": Access(
        "anyone", {"name": "N", "email": "n@example.org", "password": "purple monkey dishwasher"}
    ),
    "GET /account": RESEARCHER,
    "POST /account/password": Access(
        "researcher", {"current_password": "correct purple battery", "password": "another purple battery"}
    ),
    "POST /account/sessions/{sign_in_id}/end": RESEARCHER,
    "POST /account/sign-out-everywhere": RESEARCHER,
    "GET /account/tokens": RESEARCHER,
    "POST /account/tokens": Access("researcher", {"name": "n", "days": "7", "scope-studies:read": "yes"}),
    "POST /account/tokens/{token_id}/revoke": RESEARCHER,
    "GET /people": ADMIN,
    "POST /people": Access("admin", {"name": "N", "email": "added@example.org", "role": "researcher"}),
    "POST /people/invitations": Access("admin", {"role": "admin"}),
    "POST /people/invitations/{link_id}/revoke": ADMIN,
    "POST /people/{user_id}/role": Access("admin", {"role": "admin"}),
    "POST /people/{user_id}/disable": ADMIN,
    "POST /people/{user_id}/enable": ADMIN,
    "POST /people/{user_id}/password-link": ADMIN,
    # studies
    "GET /studies": RESEARCHER,
    "GET /studies/new": ADMIN,
    "POST /studies/new": Access("admin", {"title": "Another", "grades_per_item": "3", "ask-naturalness": "yes"}),
    "GET /studies/{slug}/sample": ADMIN,
    "POST /studies/{slug}/sample": Access("admin", {"instrument": "helpfulness", "seed": "1"}),
    "GET /studies/{slug}/desk": ADMIN,
    "POST /studies/{slug}/desk": Access("admin", {"title": "Changed", "grades_per_item": "9", "claim_minutes": "5"}),
    "POST /studies/{slug}/desk/state": Access("admin", {"state": "closed"}),
    "POST /studies/{slug}/desk/annotators/{annotator_id}/link": ADMIN,
    "POST /studies/{slug}/desk/annotators/{annotator_id}/name": Access("admin", {"name": "From course A"}),
    "GET /studies/{slug}/desk/live": ADMIN,
    "GET /studies/{slug}/desk/annotators": ADMIN,
    "POST /studies/{slug}/desk/annotators/measure": Access("admin", {"question": "helpfulness"}),
    "GET /studies/{slug}/desk/quality.csv": ADMIN,
    "GET /studies/{slug}/desk/annotators/{annotator_id}": ADMIN,
    "POST /studies/{slug}/desk/annotators/{annotator_id}/effect": ADMIN,
    "POST /studies/{slug}/desk/annotators/{annotator_id}/exclude": Access("admin", {"reason": "All the same"}),
    "POST /studies/{slug}/desk/annotators/{annotator_id}/restore": Access("admin", {"reason": "A mistake"}),
    "GET /studies/{slug}/desk/items": ADMIN,
    "GET /studies/{slug}/desk/items/{item_id}": ADMIN,
    "GET /studies/{slug}/desk/settings": ADMIN,
    "POST /studies/{slug}/desk/targets": Access("admin", {"target_2": "9"}),  # the instrument of the second study
    "POST /studies/{slug}/desk/message": Access("admin", {"message": "Hello"}),
    "POST /studies/{slug}/desk/copy": Access("admin", {"title": "A copy", "material": "yes"}),
    "GET /studies/{slug}/desk/pay": ADMIN,
    "GET /studies/{slug}/desk/pay.csv": ADMIN,
    "GET /studies/{slug}/desk/log": ADMIN,
    "GET /studies/{slug}/desk/webhooks": ADMIN,
    "POST /studies/{slug}/desk/webhooks": Access(
        "admin", {"url": "https://example.org/", "kind-run.finished": "yes"}
    ),
    "POST /studies/{slug}/desk/webhooks/{webhook}/test": ADMIN,
    "POST /studies/{slug}/desk/webhooks/{webhook}/remove": ADMIN,
    "GET /studies/{slug}/desk/log.csv": ADMIN,
    "GET /log": ADMIN,
    "GET /log.csv": ADMIN,
    # what a study asks
    "GET /studies/{slug}/questionnaire": ADMIN,
    "POST /studies/{slug}/questionnaire/instruments": Access("admin", {"instrument": "naturalness"}),
    "GET /studies/{slug}/questionnaire/instruments/{instrument_id}": ADMIN,
    "POST /studies/{slug}/questionnaire/instruments/{instrument_id}": Access(
        "admin",
        {
            "do": "save",
            "state": "of long ago",
            "title": "T",
            "questions.0.text": "Q",
            "questions.0.kind": "comment",
            "questions.0.scale.most": "9",
        },
    ),
    "POST /studies/{slug}/questionnaire/instruments/{instrument_id}/move": Access("admin", {"way": "down"}),
    "POST /studies/{slug}/questionnaire/instruments/{instrument_id}/remove": ADMIN,
    "GET /studies/{slug}/questionnaire/forms/{kind}": ADMIN,
    "POST /studies/{slug}/questionnaire/forms/{kind}": Access(
        "admin", {"do": "save", "state": "1", "text": "Other words"}
    ),
    "GET /studies/{slug}/questionnaire/versions": RESEARCHER,
    "GET /studies/{slug}/questionnaire/versions/{version_id}": RESEARCHER,
    "GET /studies/{slug}/way": ADMIN,
    "POST /studies/{slug}/way": Access("admin", WAY),
    "GET /studies/{slug}/way/checks": ADMIN,
    "POST /studies/{slug}/way/checks/lines": Access("admin", {"lines": LINE}),
    "GET /studies/{slug}/way/checks/of/{item_id}": ADMIN,
    "POST /studies/{slug}/way/checks/of/{item_id}": Access("admin", {"role": "silent", "answer-helpfulness": "3"}),
    "GET /studies/{slug}/way/checks/{item_id}/edit": ADMIN,
    "POST /studies/{slug}/way/checks/{item_id}/edit": Access("admin", {"answer-helpfulness": "3"}),
    "POST /studies/{slug}/way/checks/{item_id}/move": ADMIN,
    "POST /studies/{slug}/way/checks/{item_id}/remove": ADMIN,
    "GET /studies/{slug}/way/invitations": ADMIN,
    "POST /studies/{slug}/way/invitations": Access("admin", {"label": "a"}),
    "POST /studies/{slug}/way/invitations/{invitation_id}/revoke": ADMIN,
    "GET /studies/{slug}/way/preview/{stage}": ADMIN,
    "POST /studies/{slug}/way/preview/{stage}": ADMIN,
    "GET /studies/{slug}/way/preview/{stage}/image": ADMIN,
    # the annotator's way
    "GET /join/{token}/preview/{stage}": ANYONE,
    "POST /join/{token}/preview/{stage}": ANYONE,
    "GET /join/{token}/preview/{stage}/image": ANYONE,
    "GET /way": ANNOTATOR,
    "GET /way/consent": ANNOTATOR,
    "POST /way/consent": Access("annotator", {"answer": "agree"}),
    "GET /way/profile": ANNOTATOR,
    "POST /way/profile": ANNOTATOR,
    "GET /way/closing": ANNOTATOR,
    "POST /way/closing": ANNOTATOR,
    "GET /way/break": ANNOTATOR,
    "GET /way/practice": ANNOTATOR,
    "POST /way/practice": ANNOTATOR,
    "GET /way/told/{item}": Access("annotator", own_study=True),
    # grading
    "GET /help/{page}": ANYONE,
    "GET /join/{token}": ANYONE,
    "POST /join/{token}": Access("anyone", {"ticket": "t" * 43}),
    "GET /me/{token}": ANYONE,
    "POST /me/{token}": ANYONE,
    "GET /grade/instructions": ANNOTATOR,
    "GET /grade/link": ANNOTATOR,
    "POST /grade/link": ANNOTATOR,
    "GET /grade/answers": ANNOTATOR,
    "GET /grade/thanks": ANNOTATOR,
    "GET /grade": Access("annotator", reading_changes="hands out the next item"),
    "POST /grade/message": Access("annotator", {"read": "0123456789abcdef"}),
    "POST /grade/next": Access("annotator", json={"have": []}),
    "GET /grade/{item}": Access("annotator", own_study=True, reading_changes="claims the item after it"),
    "GET /grade/{item}/image": Access("annotator", own_study=True),
    "POST /grade/{item}": Access(
        "annotator", {"submission_id": "s" * 32, "revision": "0", "value": "3"}, own_study=True
    ),
    "POST /grade/{item}/answer": Access(
        "annotator",
        json={"submission_id": "s" * 32, "kind": "grade", "value": 3, "revision": 0},
        own_study=True,
    ),
    # uploads
    "GET /import": ADMIN,
    "POST /import": ADMIN,
    "GET /import/{upload}": ADMIN,
    "POST /import/{upload}": Access("admin", {"kind": "outputs/long", "title": "Uploaded"}),
    "GET /studies/{slug}/import": ADMIN,
    "POST /studies/{slug}/import": ADMIN,
    "GET /studies/{slug}/import/{upload}": ADMIN,
    "POST /studies/{slug}/import/{upload}": Access("admin", {"kind": "outputs/long"}),
    # benchmarks, and what models write for them
    "GET /benchmarks": RESEARCHER,
    "GET /benchmarks/import": ADMIN,
    "POST /benchmarks/import": ADMIN,
    "GET /benchmarks/{benchmark}": RESEARCHER,
    "POST /benchmarks/{benchmark}/check": ADMIN,
    "GET /benchmarks/{benchmark}/study": ADMIN,
    "POST /benchmarks/{benchmark}/study": Access("admin", {"title": "Made of it", "generation": "1"}),
    "GET /benchmarks/{benchmark}/problems/{position}": RESEARCHER,
    "GET /benchmarks/{benchmark}/generate": ADMIN,
    "GET /benchmarks/{benchmark}/generate/estimate": ADMIN,
    "POST /benchmarks/{benchmark}/generate": Access("admin", {"backend": "hub", "hub": "a/b", "do": "sample"}),
    "GET /generations/{generation_id}": RESEARCHER,
    "POST /generations/{generation_id}/start": ADMIN,
    "POST /generations/{generation_id}/execute": ADMIN,
    "GET /generations/{generation_id}/completions.{kind}": RESEARCHER,
    "GET /completions/{completion_id}": RESEARCHER,
    # runs
    "GET /runs": RESEARCHER,
    "GET /studies/{slug}/runs": RESEARCHER,
    "GET /runs/{public_id}": RESEARCHER,
    "GET /runs/{public_id}/status": RESEARCHER,
    "POST /runs/{public_id}/cancel": RESEARCHER,
    "POST /runs/{public_id}/retry": RESEARCHER,
    # dashboards
    "GET /studies/{slug}": RESEARCHER,
    "GET /studies/{slug}/systems": RESEARCHER,
    "GET /studies/{slug}/significance": RESEARCHER,
    "GET /studies/{slug}/agreement": RESEARCHER,
    "GET /studies/{slug}/points": RESEARCHER,
    "GET /studies/{slug}/compare": RESEARCHER,
    "GET /studies/{slug}/reliability": RESEARCHER,
    "GET /studies/{slug}/reliability/survey": RESEARCHER,
    "GET /studies/{slug}/reliability/status": RESEARCHER,
    "GET /studies/{slug}/reliability/measurements.json": RESEARCHER,
    "GET /studies/{slug}/reliability/tables/{file_name}": RESEARCHER,
    "POST /studies/{slug}/reliability": RESEARCHER,
    "GET /studies/{slug}/enough": RESEARCHER,
    "GET /studies/{slug}/execution": RESEARCHER,
    "POST /studies/{slug}/execution": ADMIN,
    "GET /studies/{slug}/execution/status": RESEARCHER,
    "GET /studies/{slug}/execution/tables/{file_name}": RESEARCHER,
    "GET /studies/{slug}/execution/results.json": RESEARCHER,
    # perturbed sets: asked for, looked at, and a transformation tried on a text
    "GET /benchmarks/{benchmark}/perturb": ADMIN,
    "GET /benchmarks/{benchmark}/perturb/estimate": ADMIN,
    "POST /benchmarks/{benchmark}/perturb": Access("admin", {"name": "Changed", "seeds": "1", "category": "format"}),
    "GET /benchmarks/{benchmark}/perturbations": RESEARCHER,
    "GET /perturbations/try": RESEARCHER,
    "POST /perturbations/try": Access(
        "researcher", {"prompt": "def f():\n", "transformation": "format/NewlineAfterCode"}
    ),
    # what models solve of a benchmark
    "GET /benchmarks/{benchmark}/results": RESEARCHER,
    "GET /benchmarks/{benchmark}/results.json": RESEARCHER,
    "GET /benchmarks/{benchmark}/results/tables/{file_name}": RESEARCHER,
    "GET /benchmarks/{benchmark}/robustness": RESEARCHER,
    "GET /benchmarks/{benchmark}/robustness.json": RESEARCHER,
    "GET /benchmarks/{benchmark}/robustness.tex": RESEARCHER,
    "GET /benchmarks/{benchmark}/robustness/tables/{file_name}": RESEARCHER,
    "GET /benchmarks/{benchmark}/robustness/pairs/{completion_id}": RESEARCHER,
    "GET /studies/{slug}/analysis-status": RESEARCHER,
    "GET /studies/{slug}/analyses": RESEARCHER,
    "POST /studies/{slug}/analyses": Access(
        "researcher", {"systems": ["system-0", "system-1"], "metrics": ["bleu"], "draws": "1000"}
    ),
    "GET /studies/{slug}/tables/{file_name}": RESEARCHER,
    # exports and the API
    "GET /studies/{slug}/export": RESEARCHER,
    "GET /studies/{slug}/export-status": RESEARCHER,
    "POST /studies/{slug}/export": RESEARCHER,
    "GET /studies/{slug}/analysis.json": RESEARCHER,
    "GET /artifacts/{public_id}": RESEARCHER,
    "GET /api/v1/studies": RESEARCHER,
    "POST /api/v1/studies": Access("admin", json={"title": "By a program"}),
    "GET /api/v1/studies/{slug}": RESEARCHER,
    "PATCH /api/v1/studies/{slug}": Access("admin", json={"title": "Changed"}),
    "POST /api/v1/studies/{slug}/state": Access("admin", json={"state": "closed"}),
    "PUT /api/v1/studies/{slug}/targets": Access("admin", json={"targets": {"helpfulness": 9}}),
    "POST /api/v1/studies/{slug}/copies": Access("admin", json={"title": "A copy", "material": True}),
    "GET /api/v1/studies/{slug}/problems": RESEARCHER,
    "GET /api/v1/studies/{slug}/outputs": RESEARCHER,
    "GET /api/v1/studies/{slug}/items": ADMIN,
    "POST /api/v1/studies/{slug}/sample": Access("admin", json={"instrument": "helpfulness"}),
    "POST /api/v1/studies/{slug}/sample/check": Access("admin", json={"instrument": "helpfulness"}),
    "POST /api/v1/studies/{slug}/imports/grades": Access("admin", json=[GRADE]),
    "POST /api/v1/studies/{slug}/imports/grades/check": Access("admin", json=[GRADE]),
    "POST /api/v1/studies/{slug}/imports/{kind}": Access("admin", json=[OUTPUT]),
    "POST /api/v1/studies/{slug}/imports/{kind}/check": Access("admin", json=[OUTPUT]),
    "POST /api/v1/imports/{kind}": Access("admin", json=[OUTPUT]),
    "GET /api/v1/studies/{slug}/questionnaire": RESEARCHER,
    "POST /api/v1/studies/{slug}/questionnaire/instruments": Access("admin", json={"instrument": "naturalness"}),
    "PUT /api/v1/studies/{slug}/questionnaire/instruments/{instrument_id}": Access("admin", json=INSTRUMENT),
    "POST /api/v1/studies/{slug}/questionnaire/instruments/{instrument_id}/move": Access(
        "admin", json={"way": "down"}
    ),
    "DELETE /api/v1/studies/{slug}/questionnaire/instruments/{instrument_id}": ADMIN,
    "PUT /api/v1/studies/{slug}/questionnaire/forms/{kind}": Access(
        "admin", json={"content": {"text": "Other words"}}
    ),
    "GET /api/v1/studies/{slug}/questionnaire/versions": RESEARCHER,
    "GET /api/v1/studies/{slug}/questionnaire/versions/{version_id}": RESEARCHER,
    "GET /api/v1/studies/{slug}/way": RESEARCHER,
    "PUT /api/v1/studies/{slug}/way": Access("admin", json={"retire_after": 3}),
    "GET /api/v1/studies/{slug}/checks": ADMIN,
    "POST /api/v1/studies/{slug}/checks": Access("admin", json={"checks": [CHECK]}),
    "POST /api/v1/studies/{slug}/checks/of/{item_id}": Access(
        "admin", json={"role": "silent", "answers": {"helpfulness": 3}}
    ),
    "PUT /api/v1/studies/{slug}/checks/{item_id}": Access("admin", json={"answers": {"helpfulness": 2}}),
    "POST /api/v1/studies/{slug}/checks/{item_id}/move": Access("admin", json={"way": "up"}),
    "DELETE /api/v1/studies/{slug}/checks/{item_id}": ADMIN,
    "GET /api/v1/studies/{slug}/annotators": ADMIN,
    "GET /api/v1/studies/{slug}/annotators/{annotator_id}": ADMIN,
    "PUT /api/v1/studies/{slug}/annotators/{annotator_id}/name": Access("admin", json={"name": "From course A"}),
    "POST /api/v1/studies/{slug}/annotators/{annotator_id}/link": ADMIN,
    "POST /api/v1/studies/{slug}/annotators/{annotator_id}/exclude": Access("admin", json={"reason": "All the same"}),
    "POST /api/v1/studies/{slug}/annotators/{annotator_id}/restore": Access("admin", json={"reason": "A mistake"}),
    "POST /api/v1/studies/{slug}/annotators/{annotator_id}/effect": ADMIN,
    "POST /api/v1/studies/{slug}/quality": Access("admin", json={"question": "helpfulness"}),
    "GET /api/v1/studies/{slug}/invitations": ADMIN,
    "POST /api/v1/studies/{slug}/invitations": Access("admin", json={"label": "a"}),
    "POST /api/v1/studies/{slug}/invitations/{invitation_id}/revoke": ADMIN,
    "GET /api/v1/people": ADMIN,
    "POST /api/v1/people": Access("admin", json={"name": "N", "email": "added@example.org", "role": "researcher"}),
    "GET /api/v1/people/invitations": ADMIN,
    "POST /api/v1/people/invitations": Access("admin", json={"role": "admin"}),
    "DELETE /api/v1/people/invitations/{link_id}": ADMIN,
    "PUT /api/v1/people/{user_id}/role": Access("admin", json={"role": "admin"}),
    "POST /api/v1/people/{user_id}/disable": ADMIN,
    "POST /api/v1/people/{user_id}/enable": ADMIN,
    "POST /api/v1/people/{user_id}/password-link": ADMIN,
    "GET /api/v1/log": ADMIN,
    "GET /api/v1/openapi.json": RESEARCHER,
    "GET /api/v1/studies/{slug}/webhooks": ADMIN,
    "POST /api/v1/studies/{slug}/webhooks": Access(
        "admin", json={"url": "https://example.org/", "kinds": ["run.finished"]}
    ),
    "DELETE /api/v1/studies/{slug}/webhooks/{webhook}": ADMIN,
    "POST /api/v1/studies/{slug}/webhooks/{webhook}/test": ADMIN,
    "GET /api/v1/studies/{slug}/webhooks/{webhook}/deliveries": ADMIN,
    "GET /api/v1/studies/{slug}/events": RESEARCHER,
    "GET /api/v1/benchmarks": RESEARCHER,
    "POST /api/v1/benchmarks": Access("admin", json=[TESTED]),
    "GET /api/v1/benchmarks/{benchmark}": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/problems": RESEARCHER,
    "POST /api/v1/benchmarks/{benchmark}/check": ADMIN,
    "POST /api/v1/benchmarks/{benchmark}/study": Access("admin", json={"title": "Made of it", "generations": [1]}),
    "GET /api/v1/perturbations": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/perturbations": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/perturbations/pair": RESEARCHER,
    "POST /api/v1/benchmarks/{benchmark}/perturbations": Access("admin", json={"name": "Changed", "seeds": 1}),
    "POST /api/v1/benchmarks/{benchmark}/perturbations/more": Access("admin", json={"seeds": 2}),
    "POST /api/v1/benchmarks/{benchmark}/survey/check": Access("admin", json={"perturbed": 1}),
    "POST /api/v1/benchmarks/{benchmark}/survey": Access("admin", json={"title": "Natural?"}),
    "GET /api/v1/benchmarks/{benchmark}/checks": RESEARCHER,
    "POST /api/v1/benchmarks/{benchmark}/checks": RESEARCHER,
    "GET /benchmarks/{benchmark}/naturalness": RESEARCHER,
    "POST /benchmarks/{benchmark}/naturalness": RESEARCHER,
    "GET /benchmarks/{benchmark}/naturalness/tables/{file_name}": RESEARCHER,
    "GET /benchmarks/{benchmark}/survey": ADMIN,
    "POST /benchmarks/{benchmark}/survey": Access("admin", {"title": "Natural?", "seed": "1", "pairs": "1"}),
    "GET /studies/{slug}/naturalness": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/generations": RESEARCHER,
    "POST /api/v1/benchmarks/{benchmark}/generations": Access("admin", json={"model": {"name": "a/b"}}),
    "POST /api/v1/benchmarks/{benchmark}/generations/estimate": Access("admin", json={"model": {"name": "a/b"}}),
    "POST /api/v1/benchmarks/{benchmark}/completions": Access("admin", json=WRITTEN),
    "GET /api/v1/generations/{generation_id}": RESEARCHER,
    "GET /api/v1/generations/{generation_id}/completions": RESEARCHER,
    "POST /api/v1/generations/{generation_id}/start": Access("admin", json={}),
    "POST /api/v1/generations/{generation_id}/execute": Access("admin", json={}),
    "GET /api/v1/runs": RESEARCHER,
    "GET /api/v1/status": ADMIN,
    "GET /api/v1/runs/{public_id}": RESEARCHER,
    "POST /api/v1/runs/{public_id}/cancel": RESEARCHER,
    "POST /api/v1/runs/{public_id}/retry": RESEARCHER,
    "GET /api/v1/studies/{slug}/analyses": RESEARCHER,
    "GET /api/v1/studies/{slug}/analyses/{analysis_id}": RESEARCHER,
    "GET /api/v1/studies/{slug}/analyses/{analysis_id}/pairs": RESEARCHER,
    "GET /api/v1/studies/{slug}/analysis": RESEARCHER,
    "POST /api/v1/studies/{slug}/analyses": Access("researcher", json={"draws": 100}),
    "GET /api/v1/studies/{slug}/agreement": RESEARCHER,
    "GET /api/v1/studies/{slug}/execution": RESEARCHER,
    "POST /api/v1/studies/{slug}/execution": ADMIN,
    "GET /api/v1/benchmarks/{benchmark}/results": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/results/comparison": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/robustness": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/robustness/comparison": RESEARCHER,
    "GET /api/v1/benchmarks/{benchmark}/robustness/breaks": RESEARCHER,
    "POST /api/v1/studies/{slug}/agreement": Access("researcher", json={"draws": 100}),
    "GET /api/v1/studies/{slug}/exports": RESEARCHER,
    "POST /api/v1/studies/{slug}/exports": Access("researcher", json={"form": "csv"}),
    "GET /api/v1/exports/{public_id}": RESEARCHER,
}
