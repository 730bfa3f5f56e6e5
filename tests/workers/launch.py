"""``codejury`` with the test handlers known."""

import tests.workers.handlers  # noqa: F401 - registers them
from app.cli import main

if __name__ == "__main__":
    main()
