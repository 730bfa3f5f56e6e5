"""Completions from a file: results of any generator, or what a study with successes looks like."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from app.language_models.protocol import Check, Completion, ModelError, Prompt, Sampling, go_on
from app.language_models.stopping import cut_at_stop


class ReplayModel:
    """Answers with what a JSONL file of ``task_id``, ``completion`` and perhaps ``sample`` holds.

    A prompt is looked up by its key: ``task_id``, or ``task_id``, "#" and the number of the sample from 0. Lines
    without ``sample`` are numbered in the file's order. Stop strings and nothing else cut what is read.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        content = _read(path)
        self.name = name or path.stem
        self._file = path.name if path.suffix or name is None else name  # a stored upload is named by its hash
        self._hash = sha256(content).hexdigest()
        self._known = _parse(self._file, content.split(b"\n"))

    @property
    def signature(self) -> str:
        return signature_of(self._hash)

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, check: Check = go_on) -> Iterator[Completion]:
        """The file's completions, in the order of the prompts; one that it lacks is an error of that prompt."""
        for prompt in prompts:
            check()
            text = self._find(prompt.key)
            if text is None:
                trouble = f"{self._file} has no completion for {_in_words(prompt.key)}; add a line for it."
                yield Completion(prompt.key, "", "error", 0, 0, 0.0, trouble)
            else:
                cut, _ = cut_at_stop(text, sampling.stop)
                yield Completion(prompt.key, cut, "stop", 0, 0, 0.0)

    def close(self) -> None:
        self._known.clear()

    def _find(self, key: str) -> str | None:
        task, sample = _task_and_sample(key)
        if sample is not None and task in self._known:
            return self._known[task].get(sample)
        return self._known.get(key, {}).get(0)


def _task_and_sample(key: str) -> tuple[str, int | None]:
    """What a prompt's key names; a key without a number is a task alone."""
    task, mark, number = key.rpartition("#")
    return (task, int(number)) if mark and number.isdecimal() else (key, None)


def _in_words(key: str) -> str:
    """The sample by the number that a line of the file has for it."""
    task, sample = _task_and_sample(key)
    return task if sample is None else f"{task} with sample {sample} (the first is 0)"


def signature_of(content_hash: str) -> str:
    """What tells a file of that content from all others."""
    return f"backend:replay|file:{content_hash}"


def file_signature(path: Path) -> str:
    """The signature of a model that replays the file as it is now; ModelError where it can't be read."""
    return signature_of(sha256(_read(path)).hexdigest())


def most_samples(path: Path, name: str | None = None) -> int:
    """How many samples each task must be asked for, so that none of the file is left out. ``name``: for messages."""
    try:
        with path.open("rb") as lines:
            return 1 + max(place for _, place, _ in _placed(name or path.name, lines))
    except OSError as error:
        raise _unreadable(path, error) from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> ModelError:
    return ModelError(f"The completions in {path} can't be read: {error.strerror}; give another file.")


def _parse(file: str, lines: Iterable[bytes]) -> dict[str, dict[int, str]]:
    known: dict[str, dict[int, str]] = defaultdict(dict)
    for task, place, completion in _placed(file, lines):
        known[task][place] = completion
    return dict(known)


def _placed(file: str, lines: Iterable[bytes]) -> Iterator[tuple[str, int, str]]:
    """Of each line the task, the number of the sample, and the completion; at least one."""
    taken: dict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(lines, start=1):
        if (text := line.decode("utf-8", "replace")).strip():
            task, sample, completion = _parse_line(f"{file}, line {number}", text)
            place = len(taken[task]) if sample is None else sample
            if place in taken[task]:
                raise ModelError(f"{file}, line {number}: {task} has a sample {place} already; remove one.")
            taken[task].add(place)
            yield task, place, completion
    if not taken:
        raise ModelError(f"{file} holds no completions; it needs lines with task_id and completion.")


def _parse_line(where: str, line: str) -> tuple[str, int | None, str]:
    try:
        read = json.loads(line)
    except ValueError as error:
        raise ModelError(f"{where} is not JSON: {error}.") from error
    if not isinstance(read, dict):
        raise ModelError(f"{where} is not an object with task_id and completion.")
    task, sample, completion = read.get("task_id"), read.get("sample"), read.get("completion")
    if not isinstance(task, str | int) or isinstance(task, bool) or not isinstance(completion, str):
        raise ModelError(f"{where}: task_id must be a text or a number, completion a text.")
    if sample is not None and (not isinstance(sample, int) or isinstance(sample, bool) or sample < 0):
        raise ModelError(f"{where}: sample must be a number from 0, or be left out.")
    return str(task), sample, completion
