"""The image's files laid out in a folder, to start from it what the image would start."""

import shutil
from pathlib import Path

from tests.team.dockerfile import files_of_image


def lay_out(root: Path) -> Path:
    """Copies, since the app looks for its templates where its files really lie; WordNet's 34 MB are linked."""
    for name, here in files_of_image("app").items():
        goal = root / name
        goal.parent.mkdir(parents=True, exist_ok=True)
        if name.parts[0] == "node_modules":
            goal.symlink_to(here)
        else:
            shutil.copyfile(here, goal)
    return root
