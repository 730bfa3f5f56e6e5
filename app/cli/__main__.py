"""``python -m app.cli``: the same as ``codejury``."""

from app.cli import main

if __name__ == "__main__":  # the processes of `codejury web` read this file, too
    main()
