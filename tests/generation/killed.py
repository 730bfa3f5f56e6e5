"""A worker that is killed while a model writes: ``python -m tests.generation.killed RUN``."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence

from app.config import get_settings
from app.language_models import loaded
from app.language_models.protocol import Check, Completion, Prompt, Sampling, go_on
from app.services.generation import runs
from app.services.runs import execute
from app.storage.engine import Database
from tests.generation.conftest import ListedModel

ANSWERS = 3


class KilledModel(ListedModel):
    """Takes its process with it when it is asked for a fourth answer."""

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling, check: Check = go_on) -> Iterator[Completion]:
        """Three, and no goodbye."""
        for number, each in enumerate(super().generate(prompts, sampling, check)):
            if number == ANSWERS:
                os.kill(os.getpid(), signal.SIGKILL)
            yield each


if __name__ == "__main__":
    settings = get_settings()
    runs.SECONDS_A_CHUNK = 0.0  # each answer is stored as it comes
    loaded.open_model = lambda _spec: KilledModel()
    execute(Database(settings.effective_database_url), settings, int(sys.argv[1]))
