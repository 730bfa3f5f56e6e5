"""A small world to attack: two studies, everybody who may come, and a value for each path parameter."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.clock import utc_now
from app.config import Settings
from app.ids import hash_token, new_opaque_id, new_token
from app.services import api_tokens, invitation_links, passwords, setup_links, sign_ins
from app.services.imports.uploads import KeptUpload, UploadedFile, keep, record
from app.services.questionnaires.forms import publish_form
from app.services.runs import workers
from app.storage.base import Base
from app.storage.engine import Database
from app.storage.files import FileStore, add_artifact
from app.storage.models import (
    Analysis,
    Annotator,
    ApiToken,
    Artifact,
    Assignment,
    Benchmark,
    BenchmarkProblem,
    Completion,
    Execution,
    FormResponse,
    FormVersion,
    Generation,
    Instrument,
    Invitation,
    Item,
    PersonalLink,
    Problem,
    Question,
    Run,
    SetupLink,
    Study,
    User,
    Webhook,
    Worker,
)
from app.web.request_log import HEADER
from tests.apps import METRICS_TOKEN
from tests.browsing import browse
from tests.factories import add_grade, make_study

# Each table's rows as the driver reads them: walks ask for them all the time.
ROWS = {
    table.name: f'SELECT * FROM "{table.name}" ORDER BY {", ".join(key.name for key in table.primary_key)}'
    for table in Base.metadata.sorted_tables
}

PRINCIPALS = ("anonymous", "annotator", "annotator_elsewhere", "researcher", "admin")

BUNDLE = b"PK"
UPLOAD = b"problem,intent,system,output\np,i,s,o\n"
PASSWORD = "correct purple battery"
# Addresses that mean the same under /api/v1.
ALIKE = ("/runs/{public_id}/cancel", "/runs/{public_id}/retry")


@cache
def _password_hash() -> str:
    return passwords.hash_password(PASSWORD)


def make_user(session: Session, role: str, name: str | None = None) -> User:
    """A user with PASSWORD."""
    name = name or role
    user = User(email=f"{name}@example.org".lower(), name=name, role=role, password_hash=_password_hash())
    session.add(user)
    session.flush()
    return user


def make_annotator(session: Session, study: Study, pseudonym: str = "A01") -> Annotator:
    """A person who grades."""
    annotator = Annotator(study_id=study.id, pseudonym=pseudonym, name=f"Name of {pseudonym}", order_seed=1)
    session.add(annotator)
    session.flush()
    return annotator


def make_claim(session: Session, study: Study, annotator: Annotator) -> Assignment:
    """The annotator's first item, claimed."""
    item = session.scalars(select(Item).where(Item.study_id == study.id).order_by(Item.id).limit(1)).one()
    item.load += 1
    now = utc_now()
    claim = Assignment(public_id=new_opaque_id(), annotator_id=annotator.id, item_id=item.id, slot=1, position=1)
    claim.claimed_at, claim.lease_until = now, now + timedelta(hours=1)
    session.add(claim)
    session.flush()
    return claim


def make_run(session: Session, study: Study, user: User, state: str) -> Run:
    """A run that this user asked for."""
    run = Run(public_id=new_opaque_id(), study_id=study.id, user_id=user.id, kind="analysis", payload={}, state=state)
    session.add(run)
    session.flush()
    return run


def make_bundle(session: Session, study: Study, folder: Path) -> Artifact:
    """A finished export."""
    stored = FileStore(folder).save([BUNDLE])
    names = {"file_name": "here.zip", "media_type": "application/zip"}
    return add_artifact(session, stored, kind="export", study_id=study.id, **names)


def store_files(settings: Settings) -> KeptUpload:
    """The files that rows of the world tell of: the export and, returned, the upload."""
    FileStore(settings.artifacts_dir).save([BUNDLE])
    return keep(settings, [UploadedFile("outputs.csv", BytesIO(UPLOAD))])


def make_token(session: Session, user: User, *scopes: str) -> ApiToken:
    """A token of the user's, for reading unless something else is said."""
    api_tokens.mint_token(session, f"user:{user.id}", user.id, "notebook", scopes or ("studies:read",), days=7)
    return session.scalars(select(ApiToken).order_by(ApiToken.id.desc()).limit(1)).one()


def make_analysis(session: Session, study: Study) -> Analysis:
    """A stored analysis."""
    documents = {"result": "{}", "pairs": "{}"}
    kept = Analysis(study_id=study.id, fingerprint="f", parameters={}, signature={}, revision={}, **documents)
    session.add(kept)
    session.flush()
    return kept


def make_webhook(session: Session, study: Study) -> Webhook:
    """An address that was told of runs, and given up."""
    webhook = Webhook(
        public_id=new_opaque_id(), study_id=study.id, url="https://example.org/", secret="whsec_c2VjcmV0"
    )
    webhook.kinds, webhook.disabled_at = ["run.finished"], utc_now()  # so nothing leaves this machine
    session.add(webhook)
    session.flush()
    return webhook


def make_version(session: Session, study: Study) -> FormVersion:
    """The first version of the study's consent, to which its annotators have agreed."""
    version = publish_form(session, "test", study, "consent", {"text": "Some words"})
    assert version is not None
    for annotator in session.scalars(select(Annotator).where(Annotator.study_id == study.id)):
        agreed = FormResponse(annotator_id=annotator.id, form_version_id=version.id, answers={"agreed": True})
        session.add(agreed)
    return version


def make_generation(session: Session) -> dict[str, str]:
    """A benchmark of one problem, for which a model has written one completion."""
    benchmark = Benchmark(slug="bench", name="Bench", layout="own", file_hash="0" * 64)
    session.add(benchmark)
    session.flush()
    problem = BenchmarkProblem(
        benchmark_id=benchmark.id, key="b/0", position=0, prompt="def f():\n", tests="assert f()"
    )
    problem.canonical_solution, problem.partial, problem.entry_point = "    return 0\n", "    return", "f"
    spec = {"backend": "replay", "label": "a file", "name": f"upload:{'0' * 64}"}
    sampling = {"temperature": 0.8, "top_p": 1.0, "max_tokens": 9, "stop": [], "chat": False}
    generation = Generation(benchmark_id=benchmark.id, label="model", spec=spec, sampling=sampling, samples=2)
    generation.cut_rule = "none"
    session.add_all((problem, generation))
    session.flush()
    completion = Completion(generation_id=generation.id, problem_id=problem.id, sample=0, seed=1, finish="stop")
    completion.raw = completion.text = "    return 1\n"
    session.add(completion)
    session.flush()
    limits = {"cpu": 10.0, "wall": 30.0, "memory": 1 << 30, "output": 16 << 20}
    judged = Execution(completion_id=completion.id, input_hash="0", verdict="failed", limits=limits)
    judged.reason, judged.stderr, judged.stdout, judged.tier, judged.strength = "assert f()", "e", "o", "ns", "judge"
    solution = Execution(benchmark_problem_id=problem.id, input_hash="0", verdict="failed", limits=limits)
    solution.reason, solution.stderr = "assert f()", "e"
    session.add_all((judged, solution))
    session.flush()
    return {
        "benchmark": benchmark.slug,
        "position": "1",
        "generation_id": str(generation.id),
        "completion_id": str(completion.id),
    }


def make_set(session: Session) -> str:
    """A perturbed set of that benchmark, without rows."""
    recipe = {"mode": "paper", "transformations": [], "seeds": 1}
    made = Benchmark(slug="bench-perturbed", name="Bench, perturbed", layout="recode", file_hash="0" * 64)
    made.parent_id, made.recipe = 1, recipe
    session.add(made)
    session.flush()
    return made.slug


def give_sign_of_life(session: Session) -> None:
    """Of a worker, for as long as any walk takes, so that the installation is ready: one that was not heard of for
    some seconds counts as gone.
    """
    name = "elsewhere/boot/namespace:1"
    workers.beat(session, name, ["cpu"], 1)
    session.execute(update(Worker).where(Worker.name == name).values(seen_at=utc_now() + timedelta(hours=1)))


def told(answer: Response) -> tuple[int, str]:
    """What the answer tells, but for the address that was asked and the request's own number."""
    text = answer.text.replace(answer.request.url.path, "")
    return answer.status_code, text.replace(answer.headers[HEADER], "")


@dataclass
class World:
    """What the walk needs: cookies of each principal and values for path parameters."""

    app: FastAPI
    database: Database
    portal: BlockingPortal
    cookies: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)
    by_path: dict[str, dict[str, str]] = field(default_factory=dict)

    def address(self, path: str) -> str:
        """The path with real values in place of its parameters; KeyError names one that is unknown here."""
        values = self.parameters | self.by_path.get(path, {})
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda match: values[match[1]], path)

    def client(self, principal: str, **headers: str) -> TestClient:
        """A browser of that principal; without headers it acts from our own pages."""
        client = browse(self.app, self.portal, headers=headers, follow_redirects=False, raises=False)
        if principal == "scraper":
            client.headers["Authorization"] = f"Bearer {METRICS_TOKEN}"
        if principal in self.cookies:
            self.carry(client, self.cookies[principal])
        return client

    def carry(self, client: TestClient, cookie: str, name: str | None = None) -> None:
        """Put a session cookie into the browser, where the server's own would lie."""
        client.cookies.set(name or self.app.state.session_cookie, cookie, domain="localhost.local", path="/")

    def rows(self) -> dict[str, list[Any]]:
        """Everything that is stored, to see that nothing changed."""
        with self.database.read() as session:
            connection = session.connection()
            return {name: connection.exec_driver_sql(words).all() for name, words in ROWS.items()}


def build(app: FastAPI, database: Database, portal: BlockingPortal) -> World:
    """The world, in a fresh database."""
    world = World(app, database, portal)
    with database.write() as session:
        give_sign_of_life(session)
        analysed = make_study(session, title="Numbers")  # pages would want more of an analysis than is stored here
        here, elsewhere = make_study(session, title="Here"), make_study(session, title="Elsewhere")
        session.execute(update(Problem).where(Problem.study_id == here.id).values(tests="assert f()"))
        here.state = elsewhere.state = "open"
        admin, researcher = make_user(session, "admin"), make_user(session, "researcher")
        other = make_user(session, "researcher", "other")
        annotator, stranger = make_annotator(session, here), make_annotator(session, elsewhere)
        sign_ins.start_session(session, user_id=researcher.id)  # on another device
        world.cookies = {
            "admin": sign_ins.start_session(session, user_id=admin.id),
            "researcher": sign_ins.start_session(session, user_id=researcher.id),
            "annotator": sign_ins.start_session(session, annotator_id=annotator.id),
            "annotator_elsewhere": sign_ins.start_session(session, annotator_id=stranger.id),
        }
        personal = new_token()
        session.add(PersonalLink(annotator_id=annotator.id, token_hash=hash_token(personal)))
        setup = setup_links.invite_user(session, f"user:{admin.id}", "researcher")
        joining = invitation_links.create_invitation(session, f"user:{admin.id}", here)
        claimed = make_claim(session, here, annotator)
        question = session.scalars(select(Question.id).where(Question.study_id == here.id)).one()
        add_grade(session, annotator, claimed.item_id + 1, question, 3.0)
        world.parameters = {
            "upload": record(session, store_files(app.state.settings), None).public_id,
            "file_name": "systems.csv",
            "page": "annotators",
            "item": claimed.public_id,
            "item_id": str(claimed.item_id),
            "stage": "grading",
            "public_id": make_run(session, here, researcher, "done").public_id,
            "slug": here.slug,
            "user_id": str(other.id),
            "annotator_id": str(annotator.id),
            "sign_in_id": str(sign_ins.sessions_of_user(session, researcher.id)[-1].id),
            "link_id": str(session.scalar(select(SetupLink.id))),
            "invitation_id": str(session.scalar(select(Invitation.id))),
            "instrument_id": str(session.scalar(select(Instrument.id).where(Instrument.study_id == here.id))),
            "kind": "consent",
            "version_id": str(make_version(session, here).id),
            "token_id": str(make_token(session, researcher).id),
            "analysis_id": str(make_analysis(session, analysed).id),
            "webhook": make_webhook(session, here).public_id,
            **make_generation(session),
        }
        check = Item(
            study_id=here.id, instrument_id=session.get_one(Item, claimed.item_id).instrument_id, role="loud"
        )
        check.problem_id, check.identity, check.text = session.get_one(Item, claimed.item_id).problem_id, "check", "x"
        check.shuffle, check.expected = 0, {"answers": {"helpfulness": 3}, "feedback": ""}
        session.add(check)
        session.flush()
        previewed = invitation_links.create_invitation(session, f"user:{admin.id}", here, source="mturk")
        world.by_path = {
            "/generations/{generation_id}/completions.{kind}": {"kind": "csv"},
            **{
                f"/studies/{{slug}}/way/checks/{{item_id}}/{deed}": {"item_id": str(check.id)}
                for deed in ("edit", "move", "remove")
            },
            "/join/{token}/preview/{stage}": {"token": previewed},
            "/join/{token}/preview/{stage}/image": {"token": previewed},
            "/setup/{token}": {"token": setup},
            "/join/{token}": {"token": joining},
            "/me/{token}": {"token": personal},
            "/runs/{public_id}/cancel": {"public_id": make_run(session, here, researcher, "queued").public_id},
            "/runs/{public_id}/retry": {"public_id": make_run(session, here, researcher, "failed").public_id},
            "/artifacts/{public_id}": {
                "public_id": make_bundle(session, here, app.state.settings.artifacts_dir).public_id
            },
        }
        world.by_path["/benchmarks/{benchmark}/results/tables/{file_name}"] = {"file_name": "samples.csv"}
        world.by_path |= {f"/api/v1{path}": world.by_path[path] for path in ALIKE}
        checks = "/api/v1/studies/{slug}/checks/{item_id}"
        world.by_path |= {key: {"item_id": str(check.id)} for key in (checks, f"{checks}/move")}
        imports = "/api/v1/studies/{slug}/imports/{kind}"
        world.by_path |= {key: {"kind": "outputs"} for key in (imports, f"{imports}/check", "/api/v1/imports/{kind}")}
        a_set, sets = make_set(session), "/api/v1/benchmarks/{benchmark}/perturbations"
        world.by_path |= {key: {"benchmark": a_set} for key in (f"{sets}/pair", f"{sets}/more")}
        world.by_path["/benchmarks/{benchmark}/perturbations"] = {"benchmark": a_set}
        robust = "/benchmarks/{benchmark}/robustness"
        world.by_path |= {f"{before}{robust}": {"benchmark": a_set} for before in ("", "/api/v1")}
        here.set_slug = a_set
        asks = ("/naturalness", "/naturalness/tables/{file_name}", "/survey", "/survey/check", "/checks")
        of_set = {"benchmark": a_set, "file_name": "robustness-scores-code.csv"}
        places = (f"{start}/benchmarks/{{benchmark}}{each}" for start in ("", "/api/v1") for each in asks)
        world.by_path |= dict.fromkeys(places, of_set)
        analysis = "/api/v1/studies/{slug}/analyses/{analysis_id}"
        world.by_path |= {key: {"slug": analysed.slug} for key in (analysis, f"{analysis}/pairs")}
        world.by_path["/api/v1/exports/{public_id}"] = world.by_path["/artifacts/{public_id}"]
    return world
