"""From imported material to items: prompts, pairs and outputs, the same again on either database."""

import json
from collections import Counter

import pytest
from sqlalchemy import func, select

from app.errors import AppError
from app.services.questionnaires.instruments import add_instrument, instrument_named, output_instrument
from app.services.questionnaires.ready_made import CODE_SUMMARY, NATURALNESS, SIMILARITY
from app.services.sampling.samples import Sample, draw_sample, make_items
from app.services.sampling.spec import SampleSpec
from app.services.studies import find_study
from app.storage.engine import Database
from app.storage.models import AuditEvent, Grade, Instrument, Item, Study, Variant
from tests.factories import make_study
from tests.imports.helpers import Importer

PROBLEMS, TRANSFORMATIONS = 12, ("ButterFingers", "CamelCase", "Tense")


@pytest.fixture
def perturbed(importer: Importer) -> str:
    """A study made from an import of changed prompts; its short name."""
    rows = [
        {
            "problem": f"p{number}",
            "original": f"Return the number {number}.\n",
            "changed": f"Return the  numbre {number}. ({transformation}, {seed})\n",
            "transformation": transformation,
            "seed": seed,
        }
        for number in range(PROBLEMS)
        for transformation in TRANSFORMATIONS
        for seed in (0, 1)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    result = importer.good(text, "variants")
    assert result["added"]["variants"] == len(rows)
    assert importer.good(text, "variants", study=result["study"])["added"]["variants"] == 0
    return str(result["study"])


def sample(database: Database, slug: str, instrument: str, make: bool = True, **spec: object) -> Sample:
    """Draw, and store unless told not to."""
    with database.write() as session:
        study = find_study(session, slug)
        chosen = instrument_named(session, study, instrument)
        wanted = SampleSpec(**spec)  # type: ignore[arg-type]
        if make:
            return make_items(session, "test", study, chosen, wanted)
        return draw_sample(session, study, chosen, wanted)


def test_unchanged_and_changed_prompts_mixed(database: Database, perturbed: str) -> None:
    spec = {"source": "prompts", "unchanged": 6, "changed": 9, "seed": 7, "by": "transformation"}
    before = sample(database, perturbed, "naturalness", make=False, **spec)
    made = sample(database, perturbed, "naturalness", **spec)
    assert made.digest == before.digest
    with database.read() as session:
        items = session.scalars(select(Item).order_by(Item.shuffle)).all()
        strata = Counter(item.stratum for item in items)
        assert strata == {"nominal": 6, "ButterFingers": 3, "CamelCase": 3, "Tense": 3}
        for item in items:
            variant = session.get(Variant, item.variant_id) if item.variant_id else None
            assert (variant is None) == (item.stratum == "nominal")
            assert variant is None or item.text == variant.text
        event = session.scalars(select(AuditEvent).where(AuditEvent.action == "items sampled")).one()
        assert event.details["sha256"] == made.digest
    again = sample(database, perturbed, "naturalness", **spec)
    assert (again.new, again.known) == (0, 15)


def test_the_digest_is_the_same_everywhere(database: Database, perturbed: str) -> None:
    drawn = sample(database, perturbed, "naturalness", make=False, source="prompts", unchanged=3, changed=3, seed=7)
    assert drawn.digest == "c362726a66b81ffae708c990bd1909f2ad6ee9c4dd6bf31f93b01999869ce956"


@pytest.fixture
def alike(importer: Importer) -> str:
    """Twelve problems whose changes often make the same text, or none other than the original; the study's name."""
    words = {"Tense": "past", "Typos": "past", "Case": "", "Order": "mixed"}
    rows = [
        {
            "problem": f"p{number}",
            "original": f"Return {number}.",
            "changed": f"Return {number}. {word if number % 2 else name}".strip(),
            "transformation": name,
        }
        for number in range(PROBLEMS)
        for name, word in words.items()
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    return str(importer.good(text, "variants")["study"])


@pytest.mark.parametrize(("unchanged", "changed", "seed"), [(8, 12, 7), (4, 4, 7), (12, 36, 1), (0, 30, 2)])
def test_as_many_come_as_were_asked_for(
    database: Database, alike: str, unchanged: int, changed: int, seed: int
) -> None:
    spec = {"source": "prompts", "unchanged": unchanged, "changed": changed, "seed": seed, "by": "transformation"}
    drawn = sample(database, alike, "naturalness", **spec)
    assert len(drawn.drawn) == drawn.new == unchanged + changed
    assert sum(each.stratum == "nominal" for each in drawn.drawn) == unchanged
    assert drawn.short == {}
    again = sample(database, alike, "naturalness", make=False, **spec)
    assert (again.digest, again.new) == (drawn.digest, 0)


def test_a_change_that_changed_nothing_is_no_item(database: Database, alike: str) -> None:
    spec = {"source": "prompts", "unchanged": 20, "changed": 40, "by": "transformation"}
    drawn = sample(database, alike, "naturalness", make=False, **spec)
    # Of each even problem four changed texts, of each odd one two: Tense or Typos, and Order.
    assert drawn.short == {"unchanged": (20, 12), "changed": (40, 36)}
    assert sum(taken for taken, _ in drawn.strata.values()) == len(drawn.drawn) == 48


def test_pairs_stand_beside_their_originals(database: Database, perturbed: str) -> None:
    chosen = {"transformations": ("Tense",), "seeds": (1,)}
    sample(database, perturbed, "semantic-similarity", source="pairs", changed=None, **chosen)
    with database.read() as session:
        items = session.scalars(select(Item)).all()
        assert len(items) == PROBLEMS
        assert all(item.original and item.text.endswith("(Tense, 1)\n") for item in items)
        assert {item.original for item in items} == {f"Return the number {n}.\n" for n in range(PROBLEMS)}


def test_outputs_of_chosen_systems_with_references(database: Database) -> None:
    with database.write() as session:
        study = make_study(session, problems=5, systems=3)
        add_instrument(session, study, CODE_SUMMARY)
        slug = study.slug
    spec = {"source": "outputs", "systems": ("system-0", "system-2"), "outputs": 4, "by": "system", "seed": 1}
    made = sample(database, slug, "code-summary", **spec)
    assert made.strata["system-0"] == (2, 5)
    assert made.strata["system-2"] == (2, 5)
    with database.read() as session:
        second = session.scalars(select(Instrument.id).where(Instrument.name == "code-summary")).one()
        items = session.scalars(select(Item).where(Item.instrument_id == second)).all()
        problems = {item.problem_id for item in items if not item.is_reference}
        assert {item.problem_id for item in items if item.is_reference} == problems
        first = select(Item.problem_id, Item.identity).where(Item.instrument_id != second)
        known = {tuple(row) for row in session.execute(first)}
        assert {(item.problem_id, item.identity) for item in items if not item.is_reference} <= known


def test_only_the_sample_is_handed_out(database: Database) -> None:
    with database.write() as session:
        study = make_study(session, problems=5, systems=2)
        slug = study.slug
        graded = session.scalars(select(Item).order_by(Item.id)).first()
        assert graded is not None
        graded.load = 1
    sample(database, slug, "helpfulness", source="outputs", outputs=3, with_references=False, only_these=True)
    with database.read() as session:
        counts = session.scalar(select(func.count()).where(Item.gradable))
        assert counts in (3, 4), "the sample, and the item that somebody is at"
        assert session.scalars(select(Item.gradable).where(Item.load == 1)).one()
        assert session.scalar(select(func.count(Grade.id))) == 0


def test_what_cannot_be_drawn_is_said(database: Database, perturbed: str) -> None:
    with pytest.raises(AppError, match="asks about another kind of item"):
        sample(database, perturbed, "naturalness", source="pairs")
    with pytest.raises(AppError, match="no transformation called 'Unknown'"):
        sample(database, perturbed, "semantic-similarity", source="pairs", transformations=("Unknown",))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("p0,Other text.,x,Tense,0", "differs from what is stored"),
        ("p0,,changed again,Tense,0", "Stored texts never change"),
        ("new,,x,Tense,0", "no original"),
        ("p0,,x,Tense,1.5", "A seed is a whole number"),
        ("p0,,x,Tense,5\np0,,y,Tense,5", "Row 2 has a text of 'Tense' with seed 5"),
    ],
)
def test_bad_rows_are_named(importer: Importer, perturbed: str, row: str, words: str) -> None:
    table = f"problem,original,changed,transformation,seed\n{row}\n"
    assert words in importer.bad(table, "variants", study=perturbed)


def test_a_study_of_prompts_needs_no_output_instrument(database: Database, perturbed: str) -> None:
    with database.read() as session:
        study: Study = find_study(session, perturbed)
        names = session.scalars(select(Instrument.name).order_by(Instrument.position)).all()
        assert names == [NATURALNESS.name, SIMILARITY.name]
        with pytest.raises(AppError, match="asks nothing about outputs"):
            output_instrument(session, study)
