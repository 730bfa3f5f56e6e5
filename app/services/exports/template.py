"""A study without answers: what another team, or the same one next year, begins with."""

from typing import BinaryIO

from sqlalchemy.orm import Session

from app import __version__
from app.services.exports.about import study_json
from app.services.exports.archives import Members, Tick, image_members, write_archive
from app.services.exports.change_scores import change_score_members
from app.services.exports.formats import jsonl_lines
from app.services.exports.people_rows import template_form_rows
from app.services.exports.readme import template_readme
from app.services.exports.tables import item_rows, output_rows, problem_rows, variant_rows
from app.storage.files import Files
from app.storage.models import Study


def write_template(
    session: Session,
    study: Study,
    files: Files,
    file: BinaryIO,
    *,
    with_material: bool,
    tick: Tick = lambda _: None,
) -> int:
    """Write the zip; how many lines its files have. ``with_material``: problems, outputs and items, too."""
    about = study_json(session, study, is_template=True, with_material=with_material)
    members: Members = [
        ("README.txt", [template_readme(study, __version__, with_material)]),
        ("study.json", [about]),
        ("forms.jsonl", jsonl_lines(template_form_rows(session, study))),
    ]
    if with_material:
        members += [
            ("problems.jsonl", jsonl_lines(problem_rows(session, study))),
            ("variants.jsonl", jsonl_lines(variant_rows(session, study))),
            ("items.jsonl", jsonl_lines(item_rows(session, study, is_template=True))),
            ("outputs.jsonl", jsonl_lines(output_rows(session, study))),
            *change_score_members(session, study),
            *image_members(session, study, files),
        ]
    return write_archive(file, members, tick)
