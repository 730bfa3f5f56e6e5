"""One server a data folder."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import Conflict


@contextmanager
def sole_server(data_dir: Path) -> Iterator[None]:
    """Hold the data folder; the system lets it go when this process ends, however that happens."""
    with (data_dir / "serve.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Conflict(
                f"CodeJury is already running on the data folder {data_dir.resolve()}.",
                remedy="Use that one, stop it first, or choose another folder with CODEJURY_DATA_DIR.",
            ) from error
        yield
