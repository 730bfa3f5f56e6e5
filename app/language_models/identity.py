"""What tells one model's files from another's, without loading them."""

from functools import lru_cache
from hashlib import sha256
from pathlib import Path

# Files of a folder that decide what a model computes, hashed in full: a second for hours of work.
DECIDING = ("*.json", "*.safetensors", "*.bin", "*.model", "*.txt", "*.jinja", "*.py")


def folder_identity(folder: Path) -> str:
    """SHA-256 of the folder's deciding files and their names, as hexadecimal digits."""
    files = sorted({path for pattern in DECIDING for path in folder.glob(pattern)})
    return _digest(tuple((path, path.stat().st_size, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=8)
def _digest(files: tuple[tuple[Path, int, int], ...]) -> str:
    digest = sha256()
    for path, size, _ in files:
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as content:
            while block := content.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
