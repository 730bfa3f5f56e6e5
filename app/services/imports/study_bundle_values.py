"""The rows that the lines of an exported study become."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.ids import content_hash, new_opaque_id
from app.services.imports import study_bundle_rows as lines
from app.services.imports.storable import BadValue
from app.services.imports.study_bundle_answers import Asked
from app.services.imports.study_bundle_forms import check_form
from app.services.imports.study_bundle_places import ItemKey, Places
from app.services.naturalness.checks import NAMES
from app.services.ordering import MAX_PLACE
from app.words import gettext

Values = dict[str, Any]


@dataclass
class Rows:
    """Lines into rows. Ids are those of ``places``; what follows from all lines together is gathered on the way."""

    places: Places
    study_id: int = 0
    run_id: int = 0
    images: Mapping[str, int] = field(default_factory=dict)
    as_copy: str = ""  # of a study whose submissions are stored here already: what makes these others
    asked: Asked = field(default_factory=Asked)
    positions: int = 0
    repeats: list[tuple[ItemKey, ItemKey]] = field(default_factory=list)
    answered: set[tuple[str, str, int]] = field(default_factory=set)
    loads: Counter[int] = field(default_factory=Counter)

    def problem(self, line: lines.ProblemLine) -> Iterator[Values]:
        """A problem; its references come when there are items."""
        if len(line.references) != len(line.reference_items):
            raise BadValue(gettext("There are not as many reference_items as references."))
        yield {
            "study_id": self.study_id,
            "key": line.problem,
            "position": self.positions,
            "intent": line.intent,
            "context": line.context,
            "tests": line.tests,
            "entry_point": line.entry_point,
            "code_before": line.code_before,
            "image_id": self.images.get(line.image) if line.image else None,
            "image_alt": line.image_alt,
            "run_id": self.run_id,
        }
        self.positions += 1

    def variant(self, line: lines.VariantLine) -> Iterator[Values]:
        """A changed text."""
        more = {"problem_id": self.places.problem(line.problem), "run_id": self.run_id}
        yield line.model_dump(exclude={"problem"}) | more

    def change_score(self, line: lines.ChangeScoreLine) -> Iterator[Values]:
        """What an automatic check says of a changed prompt."""
        if line.check not in NAMES:
            message = gettext("No automatic check is called %(check)s.", check=repr(line.check))
            raise BadValue(message, gettext("Import it with a CodeJury that is at least as new."))
        yield {
            "variant_id": self.places.variant(line.problem, (line.kind, line.transformation, line.seed)),
            "name": line.check,
            **line.model_dump(include={"signature", "score"}),
        }

    def item(self, line: lines.ItemLine) -> Iterator[Values]:
        """An item; what it repeats is noted."""
        if not 0 <= line.shuffle < MAX_PLACE:
            raise BadValue(gettext("The place in the order lies outside of what a seed gives."))
        if line.repeats is not None:
            mine = (line.instrument, line.problem, line.item)
            self.repeats.append((mine, (line.instrument, line.problem, line.repeats)))
        yield {
            "study_id": self.study_id,
            "instrument_id": self.places.instrument(line.instrument),
            "problem_id": self.places.problem(line.problem),
            "identity": line.item,
            "variant_id": self.places.variant(line.problem, line.variant),
            **line.model_dump(exclude={"instrument", "problem", "item", "variant", "repeats"}),
        }

    def references(self, line: lines.ProblemLine) -> Iterator[Values]:
        """The references of a problem."""
        for position, (text, item) in enumerate(zip(line.references, line.reference_items, strict=True)):
            yield {
                "problem_id": self.places.problem(line.problem),
                "position": position,
                "text": text,
                "item_id": None if item is None else self.places.output_item(line.problem, item),
                "run_id": self.run_id,
            }

    def output(self, line: lines.OutputLine) -> Iterator[Values]:
        """An output."""
        yield {
            "problem_id": self.places.problem(line.problem),
            "system_id": self.places.system(line.system),
            "item_id": self.places.output_item(line.problem, line.item),
            "text": line.output,
            "run_id": self.run_id,
        }

    def form(self, line: lines.FormLine) -> Iterator[Values]:
        """A version of a form."""
        check_form(line)
        yield line.model_dump() | {"study_id": self.study_id}

    def annotator(self, line: lines.AnnotatorLine) -> Iterator[Values]:
        """A person."""
        yield line.model_dump() | {"study_id": self.study_id}

    def response(self, line: lines.ResponseLine) -> Iterator[Values]:
        """What a person answered to a form; once, which no constraint of the database says."""
        answered = (line.worker, line.kind, line.number)
        if answered in self.answered:
            raise BadValue(gettext("This stands in the file already."), gettext("Export the study again."))
        self.answered.add(answered)
        yield {
            "annotator_id": self.places.annotator(line.worker),
            "form_version_id": self.places.form(line.kind, line.number),
            "answers": line.answers,
            "created_at": line.created_at,
        }

    def assignment(self, line: lines.AssignmentLine) -> Iterator[Values]:
        """An item shown to a person; a new address in the browser, since the old one was another installation's."""
        item = self.places.item(line.instrument, line.problem, line.item)
        if line.state == "claimed" and line.slot is None:
            raise BadValue(gettext("A claimed item has no slot."))
        if line.state == "claimed" or (line.state == "graded" and not line.surplus):
            self.loads[item] += 1
        yield {
            "public_id": new_opaque_id(),
            "annotator_id": self.places.annotator(line.worker),
            "item_id": item,
            **line.model_dump(exclude={"worker", "instrument", "problem", "item"}),
        }

    def grade(self, line: lines.GradeLine) -> Iterator[Values]:
        """A current answer."""
        if line.label is None and line.text is None:
            raise BadValue(gettext("There is neither a label nor a text."))
        self.asked.check(line.instrument, line.question, line.label, line.text)
        yield {
            "annotator_id": self.places.annotator(line.worker),
            "item_id": self.places.item(line.instrument, line.problem, line.item),
            "question_id": self.places.question(line.question),
            "value": line.label,
            "questionnaire_id": self.places.questionnaire(line.questionnaire),
            "created_at": line.submitted_at,
            **line.model_dump(include={"text", "surplus", "updated_at"}),
        }

    def event(self, line: lines.EventLine) -> Iterator[Values]:
        """A step of grading."""
        self._check_answers(line)
        own = {"worker", "instrument", "problem", "item", "question", "questionnaire", "submission"}
        submission = line.submission
        if submission is not None and self.as_copy:
            submission = content_hash(self.as_copy, submission)
        yield {
            "annotator_id": self.places.annotator(line.worker),
            "item_id": self.places.item(line.instrument, line.problem, line.item),
            "question_id": self.places.question(line.question),
            "questionnaire_id": self.places.questionnaire(line.questionnaire),
            "submission_id": submission,
            **line.model_dump(exclude=own),
        }

    def _check_answers(self, line: lines.EventLine) -> None:
        for value, text in ((line.value, line.text), (line.previous, line.previous_text)):
            if value is None and text is None:
                continue
            if line.question is None:
                raise BadValue(gettext("There is an answer, and no question."))
            self.asked.check(line.instrument, line.question, value, text)
