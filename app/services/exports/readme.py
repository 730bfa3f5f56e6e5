"""What the README of a bundle and of a template says: what each file holds, and how each number is made again."""

import json
import shlex
from dataclasses import dataclass
from typing import Any

from app.services.agreement import AgreementParameters
from app.services.analysis import AnalysisParameters, StoredAnalysis
from app.storage.models import Study


@dataclass(frozen=True, slots=True)
class Private:
    """What a bundle holds of people beyond their pseudonyms."""

    platform_ids: bool = False
    answers_about_people: bool = False


BUNDLE = """\
{title}
{underline}

Exported from CodeJury {version}. {notice}

To look at
  grades.csv       one row per current grade; the first columns (task, worker, label) are what crowd-kit reads
  skips.csv        the same columns for every item that someone skipped, without an answer, with the reason
  scores.csv       one row per output and metric, with the signature of what made it; scores lie in 0-1. Those that
                   were computed elsewhere come back with signature and label (codejury import scores)
  consensus.csv    one value per item and question: {consensus}
  tables/          the tables of the pages, all digits; quality-QUESTION.csv: how well each annotator grades
  decisions.csv    what was decided about the study, when, from what to what (exclusions with their reasons, changed
                   targets); the team by numbers. It tells of this installation, and is not imported
  analysis.json    the newest analysis, byte for byte; its "signature" says what made every number
  analyses/        the ones before it
  measurements.json
                   agreement, the survey of prompts and precision as last measured, byte for byte

To compute with (one JSON object a line, text exactly as stored)
  study.json       settings, seed, instruments, questions with their scales, systems, imported metrics' signatures
  problems.jsonl   one row per problem, in order, with references, context, tests, image and its words
  images/          the problems' images, if there are any
  variants.jsonl   changed prompts and code: problem, transformation, seed, text
  change-scores.jsonl
                   of a survey of a perturbed set: what automatic checks say of each changed prompt, with the check's
                   signature; null where it says nothing. The set need not be where this file is imported
  items.jsonl      what was shown: instrument, role (main, practice, loud, silent, repeat), stratum, variant, retired
  outputs.jsonl    one row per output with its problem, references and item
  forms.jsonl      every version of consent, questions about people, closing questions and questionnaire
  annotators.jsonl who graded, how they came, how far they got, and who was excluded why
  responses.jsonl  what people answered to forms: {responses}
  assignments.jsonl
                   who was shown what, in which place, on which side, and what came of it (graded, skipped, flagged)
  grades.jsonl, skips.jsonl
                   the rows of the tables above
  events.jsonl     every step of grading in its order: grades, changes of mind, withdrawals, skips, flags
  flags.jsonl      one row per item that an annotator flagged as broken, with the note
  imported-scores.jsonl
                   the scores of scores.csv that were computed elsewhere
  SHA256SUMS       check with: sha256sum -c SHA256SUMS

Columns of the grades
  task is "problem|system"; where several systems wrote the same, it is the first of them and systems has all, with
  bars between. An item that is no output is "problem|reference", or "problem|transformation seed" of a changed text,
  or "problem|original". What is not a main item is called like the one whose text it shows, with its role behind, as
  in "p1|small (repeat)", and repeats has that one's identity; "problem|own text" shows nobody's output.
  item is the item's identity within its problem and instrument, as in items.jsonl. label is the answer as a number;
  text is a comment, or the chosen labels as a JSON list. position: the how-many-th item of this annotator. swapped:
  the original of the pair stood on the right. surplus: beyond the wanted number; excluded: by an excluded annotator.
  Neither counts. questionnaire: the version answered (forms.jsonl). seed: the study's. active_ms: in view
  and somebody at it, as derived from what the browser measured, which events.jsonl holds; first_key_ms: as it told.
  changes: changes of mind. started_at: when the item was handed out; submitted_at: when the answer
  came first; updated_at: when it last changed. Times are UTC.

Recompute it
  codejury import bundle {file}
  codejury analyse {slug} --json again.json{options}
  cmp analysis.json again.json
  codejury agreement {slug} --json measured-again.json{measuring}

  The import makes the whole study again, as a draft, in any installation of CodeJury {version} or later. With the
  same CodeJury and the packages that the signature names, the analysis is the same, byte for byte: scores, consensus,
  synthetic systems, draws, intervals, agreement. Each of its numbers follows from these files and the seed. So does
  what was measured of the grades alone, if it was measured after the last of them.

Spreadsheets
  In .csv files a cell of text that a spreadsheet would take for a formula (it starts with = + - @, a tab or a line
  break, perhaps after apostrophes) has an apostrophe in front. Numbers stay numbers. CodeJury's import takes exactly
  that apostrophe away again. The .jsonl files are as stored.

People
  {people}
"""

TEMPLATE = """\
{title}
{underline}

A template from CodeJury {version}: a study without answers. {notice}

  study.json       settings, seed, instruments, questions with their scales
  forms.jsonl      the newest version of consent, questions about people and closing questions
{material}  SHA256SUMS       check with: sha256sum -c SHA256SUMS

Make a study of it, as a draft:

  codejury import bundle {file} --study "Its title"
"""

MATERIAL = """\
  problems.jsonl   the problems, in order, with references, context, tests, image and its words
  images/          the problems' images, if there are any
  variants.jsonl   changed prompts and code
  change-scores.jsonl
                   of a survey of a perturbed set: what automatic checks say of each changed prompt
  items.jsonl      what is shown: instrument, role, stratum, variant; with the right answers of practice and checks
  outputs.jsonl    one row per output
"""

CONSENSUS = "by the newest analysis' method (M-MSR without one), of questions from-to the mean"
IDENTIFIED = "This file holds the ids and names that platforms and the team gave to people. Keep it as such."
PSEUDONYMOUS = "People appear by pseudonym only. What they wrote themselves (comments, notes) is as they wrote it."
CONSENT_ONLY = "consent; those about the person were left out"
ALL_RESPONSES = "consent, questions about the person, closing questions"


def bundle_readme(
    study: Study, version: str, *, private: Private, analysis: StoredAnalysis | None, measurements: str | None
) -> bytes:
    """README.txt of a bundle."""
    return _filled(
        BUNDLE,
        study,
        f"{study.slug}.zip",
        version=version,
        consensus=CONSENSUS,
        responses=ALL_RESPONSES if private.answers_about_people else CONSENT_ONLY,
        people=IDENTIFIED if private.platform_ids else PSEUDONYMOUS,
        options=analysis_options(study, analysis),
        measuring=measuring_options(study, measurements),
    )


def analysis_options(study: Study, analysis: StoredAnalysis | None) -> str:
    """What was chosen for the newest analysis, as the options of the command that makes it again."""
    if analysis is None:
        return ""
    defaults = AnalysisParameters().model_dump(mode="json") | {"seed": study.seed}
    options: list[tuple[str, Any]] = []
    for name in defaults:  # in their own order: PostgreSQL keeps another
        value = analysis.parameters.get(name, defaults[name])
        if name in ("systems", "metrics"):
            options += [(name.removesuffix("s"), each) for each in value or ()]
        elif name == "bins" and value != defaults[name]:
            options.append((name, " ".join(f"{edge:g}" for edge in [value[0][0], *(high for _, high in value)])))
        elif name in ("draws", "ties", "consensus", "seed", "question") and value != defaults[name]:
            options.append((name, value))
    words = [f"--{name} {shlex.quote(str(value))}" for name, value in options]
    words += ["--no-synthetic"] if analysis.parameters.get("synthetic") is False else []
    return "".join(f" \\\n      {word}" for word in words)


def measuring_options(study: Study, measurements: str | None) -> str:
    """How what is measured of the grades is measured again, and compared with what the bundle holds."""
    if measurements is None:
        return ""
    made_with = json.loads(measurements)[0]["signature"]["parameters"]
    usual = {"draws": AgreementParameters().draws, "seed": study.seed}
    options = "".join(f" --{name} {made_with[name]}" for name in usual if made_with[name] != usual[name])
    return f"{options}\n  cmp measurements.json measured-again.json"


def template_readme(study: Study, version: str, with_material: bool) -> bytes:
    """README.txt of a template."""
    name = f"{study.slug}-template.zip"
    return _filled(TEMPLATE, study, name, version=version, material=MATERIAL if with_material else "")


def _filled(text: str, study: Study, file: str, **more: str) -> bytes:
    about = {"title": study.title, "notice": study.notice, "slug": study.slug, "file": file}
    return text.format(underline="=" * len(study.title), **about, **more).replace(" \n", "\n").encode()
