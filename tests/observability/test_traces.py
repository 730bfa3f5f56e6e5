"""Traces reach a collector where one is named, hold nobody's data, and cost nothing where none is."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from app.config import PROJECT_ROOT
from tests.workers.process import wait_for
from tests.workers.test_serve import Server

LEAVING = {
    *("http.request.method", "http.route", "http.response.status_code", "db.system.name", "db.query.text"),
    *("codejury.request", "codejury.run", "codejury.run.kind", "codejury.study"),
}
MAIL, NAME, PASSWORD = "ottilie.canary@example.net", "Ottilie Canary", "correct purple battery"


class Collector:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []  # as they were sent

    def spans(self) -> dict[str, list[Span]]:
        """Each service's spans."""
        found: dict[str, list[Span]] = {}
        for body in list(self.bodies):
            for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
                name = {each.key: each.value.string_value for each in sent.resource.attributes}["service.name"]
                found.setdefault(name, []).extend(span for scope in sent.scope_spans for span in scope.spans)
        return found


@contextmanager
def _collector() -> Iterator[tuple[str, Collector]]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            collector.bodies.append(body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", collector
        server.shutdown()


@pytest.fixture
def traced(tmp_path: Path) -> Iterator[tuple[Server, Collector]]:
    """A server with its worker, and who collects their traces."""
    with _collector() as (address, collector):
        environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "200"}
        server = Server(tmp_path, **environment, OTEL_EXPORTER_OTLP_COMPRESSION="none")
        yield server, collector
        server.end()


def _attributes(span: Span) -> dict[str, str]:
    return {each.key: each.value.string_value for each in span.attributes}


def _named(spans: list[Span], name: str) -> Span | None:
    return next((span for span in spans if span.name == name), None)


def _become_admin(server: Server, browser: httpx2.Client) -> None:
    assert server.process.stdout
    link = next(filter(None, (re.search(r"(http\S+/setup/\S+)", line) for line in server.process.stdout)))
    form = {"name": NAME, "email": MAIL, "password": PASSWORD}
    assert browser.post(link[1], data=form).status_code == 303


@pytest.mark.slow
def test_a_request_its_statements_and_the_run_that_it_asked_for(
    traced: tuple[Server, Collector], tmp_path: Path
) -> None:
    server, collector = traced
    address = server.address()
    with httpx2.Client(base_url=address, headers={"Sec-Fetch-Site": "same-origin", "User-Agent": NAME}) as browser:
        _become_admin(server, browser)
        shown = browser.get("/studies/demo", params={"who": MAIL})
        asked = browser.post("/studies/demo/export", data={"form": "csv"})
        assert asked.status_code == 303
        browser.get("/no/such/page", params={"mail": MAIL})
        about_run = wait_for(
            lambda: _named(collector.spans().get("codejury-worker", []), "run export"), "the run's span", 120
        )
        run = about_run.trace_id.hex()
        assert browser.get(f"/runs/{run}").status_code == 200, "a run's number is its trace's"
    spans = collector.spans()
    web, worker = spans["codejury-web"], spans["codejury-worker"]

    request = next(span for span in web if _attributes(span).get("codejury.request") == shown.headers["x-request-id"])
    assert (request.name, request.kind) == ("GET /studies/{slug}", Span.SPAN_KIND_SERVER)
    assert [span for span in web if span.parent_span_id == request.span_id and _attributes(span)["db.query.text"]]

    asking = _named(web, "POST /studies/{slug}/export")
    assert asking is not None
    assert [link.trace_id.hex() for link in asking.links] == [run]
    assert [span for span in worker if span.trace_id == about_run.trace_id and "db.query.text" in _attributes(span)]
    assert {len(span.parent_span_id) for span in worker} == {8}, "what a sweeper asks by itself is left out"

    everything = b"".join(collector.bodies)
    for personal in (MAIL, NAME, PASSWORD, "canary", "Canary", "127.0.0.1", str(tmp_path)):
        assert personal.encode() not in everything, personal
    assert {each.key for each in (a for span in web + worker for a in span.attributes)} <= LEAVING
    assert not [span for span in web + worker if span.events or span.status.message]


def test_without_a_collector_nothing_that_sends_is_imported() -> None:
    """FastAPI imports OpenTelemetry's API by itself, and Redis' client its SDK, which send nothing."""
    program = (
        "import sys, app.main, app.cli.web_server, workers.main\n"
        "from app.config import Settings\n"
        "app.main.create_app(Settings(DATABASE_URL='sqlite:////tmp/none.sqlite3'))\n"
        "heavy = ('opentelemetry.exporter', 'opentelemetry.instrumentation', 'google.protobuf')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
