"""One of several web processes."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING

from app.web.cores import keep_to_a_core
from app.web.process import COUNTS_FOLDER
from workers.guard import die_with

if TYPE_CHECKING:
    from fastapi import FastAPI


def make_app() -> FastAPI:
    """The app, in a process that ends with the one that started it: also while it loads, which takes seconds."""
    parent = parent_process()
    assert parent is not None
    assert parent.pid is not None
    die_with(parent.pid)  # which may be gone already
    keep_to_a_core(Path(os.environ[COUNTS_FOLDER]))
    from app.cli.environment import load_settings
    from app.logs import adopt_libraries
    from app.main import create_app
    from app.web.process import settle

    settings = load_settings()
    adopt_libraries(settings.effective_log_form)
    web = create_app(settings)
    settle()
    return web
