"""Pages open, and say nothing false, for studies so small or so even that a sentence could trip."""

import html
import json
import re
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.clock import utc_now
from app.services.analysis import AnalysisParameters
from app.services.analysis.computation import _consensus_json, _pair_table
from app.statistics.agreement import measure_agreement
from app.statistics.consensus import ConsensusMethod, find_consensus
from app.statistics.consensus_rankings import rank_by_consensus
from app.statistics.corpus_scores import mean_of_segments
from app.statistics.meta_evaluation import meta_evaluate
from app.storage.engine import Database
from app.storage.models import Analysis, Run
from tests.dashboards.study import SLUG
from tests.factories import make_study

PAGES = ("", "/systems", "/significance", "/agreement", "/points", "/compare")
LONG, RIGHT_TO_LEFT = "x" * 200, "מערכת"


@dataclass(frozen=True)
class Tiny:
    """What a study has; ``metrics`` are "noise", "constant" or "people"."""

    systems: tuple[str, ...] = ("s1", "s2", "s3")
    problems: int = 8
    annotators: int = 3
    metrics: tuple[str, ...] = ("noise", "people")
    consensus: ConsensusMethod = ConsensusMethod.MAJORITY
    equal: bool = False


CASES = {
    "no metric": Tiny(metrics=()),
    "no metric, two systems": Tiny(systems=("s1", "s2"), metrics=(), problems=3),
    "two systems": Tiny(systems=("s1", "s2")),
    "three problems": Tiny(problems=3),
    "one annotator": Tiny(annotators=1),
    "equal grades": Tiny(equal=True, consensus=ConsensusMethod.MEAN),
    "equal grades, no metric": Tiny(equal=True, consensus=ConsensusMethod.MEAN, metrics=()),
    "constant metrics": Tiny(metrics=("constant", "constant2")),
    "one metric": Tiny(metrics=("noise",)),
    "long names": Tiny(systems=(LONG, RIGHT_TO_LEFT, LONG[1:] + "y")),
}


def documents(tiny: Tiny) -> tuple[dict[str, object], dict[str, object]]:
    """The document and the pairs, as the analysis makes them."""
    random = np.random.default_rng(2)
    tasks = [[f"{p}/{name}" for p in range(tiny.problems)] for name in tiny.systems]
    cells = list(product(range(len(tiny.systems)), range(tiny.problems), range(tiny.annotators)))
    items = [tasks[s][p] for s, p, _ in cells]
    grades = [2.0 if tiny.equal else float(random.integers(0, 5)) for _ in cells]
    people = [f"grader{w}" for *_, w in cells]
    methods = (tiny.consensus, ConsensusMethod.M_MSR)
    consensuses = {method: find_consensus(items, people, grades, method) for method in methods}
    human = np.array([[consensuses[tiny.consensus].values[task] / 4 for task in row] for row in tasks])
    values = {"noise": random.random(human.shape), "people": human}
    metrics = [mean_of_segments(name, values.get(name, np.full(human.shape, 0.5))) for name in tiny.metrics]
    found = meta_evaluate(
        tiny.systems,
        mean_of_segments("human", human),
        metrics,
        output_ids=np.arange(human.size).reshape(human.shape),
        draws=100,
    )
    rankings = rank_by_consensus(tiny.systems, tasks, consensuses, tiny.consensus)
    document = found.to_json() | {
        "metric_labels": {},
        "annotators": measure_agreement(items, grades, draws=100).to_json(),
        "consensus": _consensus_json(consensuses, rankings, SimpleNamespace(labels=grades)),  # type: ignore[arg-type]
    }
    return document, _pair_table(found)


def store(database: Database, tiny: Tiny) -> None:
    document, pairs = documents(tiny)
    chosen = AnalysisParameters(consensus=tiny.consensus, seed=7, question="quality").model_dump(mode="json")
    signature = {"codejury": "0", "parameters": chosen, "metrics": {}, "inputs_sha256": "", "packages": {}}
    with database.write() as session:
        study = make_study(session, problems=0, systems=1)
        run = Run(public_id="r" * 32, study_id=study.id, kind="analysis", payload={}, state="done")
        session.add(run)
        session.flush()
        session.add(
            Analysis(
                study_id=study.id,
                run_id=run.id,
                fingerprint="f",
                parameters=chosen,
                signature=signature,
                result=json.dumps(document),
                pairs=json.dumps(pairs),
                revision={},
                created_at=utc_now(),
            )
        )


def words(page: str) -> str:
    """What a reader sees."""
    return html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_pages_open_and_say_nothing_false(researcher: TestClient, database: Database, case: str) -> None:
    tiny = CASES[case]
    store(database, tiny)
    texts = {}
    for page in PAGES:
        answer = researcher.get(f"/studies/{SLUG}{page}")
        assert answer.status_code == 200, page
        texts[page] = words(answer.text)
        assert not re.search(r"\bnan\b|\bNone\b(?! of)|IndexError", texts[page]), page
        assert not re.search(r"(?<!\d)0\.00 points above", texts[page]), page
    if not tiny.metrics:
        for page in ("/agreement", "/points", "/compare"):
            assert "This analysis has no metric" in texts[page]
        together = " ".join(texts.values())
        assert not re.search(r"(Every|All|all|No|no) (\w+ )?metrics? (puts|rank|say|is right|tell|err)", together)
    if tiny.equal:
        assert f"People rate all {'three'} systems equal" in texts["/systems"]
        assert "People rate s1 and s2 exactly equal" in texts["/compare"]
    if case == "constant metrics":
        assert "No value for constant and constant2: all systems have the same score" in texts["/systems"]
    if case == "three problems":
        assert "Only 3 problems are compared" in texts["/systems"]


def test_a_long_name_is_cut_in_figures_only(researcher: TestClient, database: Database) -> None:
    store(database, CASES["long names"])
    for page in ("/systems", "/points", "/compare"):
        text = researcher.get(f"/studies/{SLUG}{page}").text
        for figure in re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL):
            layout = json.dumps(json.loads(figure)["layout"])
            assert "x" * 30 not in layout
        assert LONG in text
