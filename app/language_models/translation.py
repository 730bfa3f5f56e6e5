"""Translation by encoder-decoder models, and there and back again: the same text in other words."""

from collections.abc import Iterator, Sequence

from app.language_models.batching import in_batches
from app.language_models.encoding import context_of
from app.language_models.libraries import torch_library
from app.language_models.loading import load
from app.language_models.memory import is_out_of_memory, let_go, rows_that_fit
from app.language_models.padding import padded
from app.language_models.protocol import ModelError
from app.language_models.spec import ModelSpec

LONGEST = 512  # tokens of a text and of its translation, unless the model's context is shorter


class Translator:
    """A model that was trained for one pair of languages, such as Marian's and those of WMT19."""

    def __init__(self, spec: ModelSpec, beams: int = 1) -> None:
        """``beams``: how many beginnings are followed at once; 1 takes the likeliest token each time."""
        loaded = load(spec, "AutoModelForSeq2SeqLM")
        self.name = spec.shown
        self._beams = beams
        self._model, self._tokenizer, self._device = loaded.model, loaded.tokenizer, loaded.device
        self._limit = min(context_of(self._model.config) or LONGEST, LONGEST)
        self.signature = f"translation|model:{spec.name}|weights:{loaded.identity}|beams:{beams}"

    def translate(self, texts: Sequence[str]) -> list[str]:
        """Each text in the other language, whatever stands beside it; ModelError for one beyond the context."""
        rows = [list(self._tokenizer(text).input_ids) for text in texts]
        self._check(rows)
        found: dict[int, str] = {}
        for places, answers in self._batches(rows):
            found.update(zip(places, answers, strict=True))
        return [found[place] for place in range(len(rows))]

    def close(self) -> None:
        """Let go of the model and of the device's memory."""
        self._model = self._tokenizer = None
        let_go(self._device)

    def _check(self, rows: list[list[int]]) -> None:
        for number, row in enumerate(rows, start=1):
            if len(row) > self._limit:
                raise ModelError(
                    f"Text {number} of {len(rows)} has {len(row)} tokens, but {self.name} reads {self._limit}; "
                    "shorten it, or choose another model."
                )

    def _batches(self, rows: list[list[int]]) -> Iterator[tuple[list[int], list[str]]]:
        """Places of rows with their answers. Only rows of one limit go together: no text hangs on its neighbours."""
        by_limit: dict[int, list[int]] = {}
        for place, row in enumerate(rows):
            by_limit.setdefault(self._longest_answer(len(row)), []).append(place)
        for limit, places in by_limit.items():
            for chosen, answers in self._tried([rows[place] for place in places], limit):
                yield [places[each] for each in chosen], answers

    def _longest_answer(self, tokens: int) -> int:
        """A power of two that is more than twice the text, or what can still be read on the way back."""
        return min(1 << (2 * tokens + 16).bit_length(), self._limit - 8)

    def _tried(self, rows: list[list[int]], limit: int) -> Iterator[tuple[list[int], list[str]]]:
        batches = in_batches(
            [len(row) for row in rows],
            lambda places: self._answer([rows[place] for place in places], limit),
            fits=lambda tokens: self._fits(tokens + limit),
            is_out_of_memory=is_out_of_memory,
            recover=lambda: let_go(self._device),
        )
        for places, answers in batches:
            if isinstance(answers, BaseException):
                raise ModelError(f"A text of {len(rows[places[0]])} tokens does not fit into memory; shorten it.")
            yield places, answers

    def _fits(self, tokens: int) -> int:
        fitting = rows_that_fit(self._model.config, self._device, tokens, self._model.dtype.itemsize)
        return max(1, fitting // self._beams)

    def _answer(self, rows: list[list[int]], limit: int) -> list[str]:
        inputs = padded(rows, self._tokenizer.pad_token_id, self._device)
        options = {"num_beams": self._beams, "do_sample": False, "max_new_tokens": limit, "max_length": None}
        with torch_library().inference_mode():
            written = self._model.generate(**inputs, **options)
        answers = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return [str(each).strip() for each in answers]


class RoundTrip:
    """A pair of translators as one function: texts there and back, opened when the first one comes."""

    def __init__(self, there: ModelSpec, back: ModelSpec, beams: int = 2) -> None:
        self._specs, self._beams = (there, back), beams
        self._translators: tuple[Translator, ...] = ()

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Each text after its journey."""
        if not self._translators:
            self._translators = tuple(Translator(spec, self._beams) for spec in self._specs)
        there, back = self._translators
        return back.translate(there.translate(texts))
