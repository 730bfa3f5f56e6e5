"""``python -m app.cli``: the same as ``codejury``."""

from app.cli import main

main()
