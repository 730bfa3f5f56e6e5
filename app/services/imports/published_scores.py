"""Segment scores of a published study: keys ``<metric>-<system>`` in rows with the same intents."""

from dataclasses import dataclass

from app.services.imports.cells import number_of
from app.services.imports.codegen_metrics import GRADE, INTENT, StudyReader
from app.services.imports.material import ScoreRow
from app.services.imports.reading import Row, read_rows
from app.services.imports.scores import metric_key
from app.services.imports.storable import BadValue
from app.words import gettext

LABELS = {"rougel": "ROUGE-L", "chrf": "chrF", "codebleu": "CodeBLEU"}
KEYS = {"rougel": "rouge_l"}
ALL = "all"
DEFAULT = "ruby"  # taken where it is there: unlike the others it can't be computed as published


def read_published_scores(reader: StudyReader, file: str, wanted: tuple[str, ...]) -> None:
    """Add the wanted metrics' scores; each becomes a metric of its own, "RUBY (published)"."""
    metrics: set[str] = set()
    with reader.bundle.open(file) as stream:
        for number, row in enumerate(read_rows(stream, reader.problems, file=file)):
            intent = row.values.get(INTENT)
            key = reader.by_intent.get(intent) if isinstance(intent, str) and intent else str(number)
            if key in reader.batch.problems:
                metrics |= _ScoresOfRow(reader, row, str(key), file).read(wanted)
            else:
                message = gettext("No row of the outputs has this intent.")
                reader.problems.add(message, row=row.number, column=INTENT, file=file)

    for name in wanted:
        if name not in (ALL, DEFAULT, *metrics):
            remedy = gettext("It has: %(names)s.", names=", ".join(sorted(metrics)) or gettext("none"))
            reader.problems.add(
                gettext("The file has no scores of a metric %(name)s.", name=repr(name)), file=file, remedy=remedy
            )


@dataclass(frozen=True)
class _ScoresOfRow:
    reader: StudyReader
    row: Row
    key: str
    file: str

    def read(self, wanted: tuple[str, ...]) -> set[str]:
        """Add the row's wanted scores; which metrics it has scores of."""
        metrics = set()
        for name, value in self.row.values.items():
            system = next((each for each in self.reader.systems_by_length if name.endswith(f"-{each}")), None)
            if system is None or name.startswith(GRADE):
                continue
            metric = name.removesuffix(f"-{system}")
            metrics.add(metric)
            if ALL in wanted or metric in wanted:
                self._add(name, metric, system, value)
        return metrics

    def _add(self, column: str, metric: str, system: str, value: object) -> None:
        output = self.reader.batch.outputs.get((self.key, system))
        if output is None or self.row.values.get(system, output.text) != output.text:
            self._fail(gettext("The score belongs to another output."), column)
            return
        try:
            score = number_of(value)
        except BadValue as error:
            self._fail(error.message, column)
            return
        if not 0 <= score <= 1:
            self._fail(
                gettext("%(score)s lies outside %(low)s to %(high)s.", score=format(score, "g"), low=0, high=1),
                column,
            )
            return
        name = f"{metric_key(KEYS.get(metric, metric))}_published"
        self.reader.batch.labels[name] = f"{LABELS.get(metric, metric.upper())} (published)"
        row = ScoreRow(self.key, system, name, score, self.row.number, self.file, column)
        self.reader.batch.scores.append(row)

    def _fail(self, message: str, column: str) -> None:
        self.reader.problems.add(message, row=self.row.number, column=column, file=self.file)
