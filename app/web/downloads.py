"""Answers that a browser saves and never shows."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from app.storage.files import chunks_of


def disposition(file_name: str) -> str:
    """RFC 6266: a plain name for old clients and the real one for all others."""
    plain = "".join(letter if letter.isascii() and letter.isprintable() else "_" for letter in file_name)
    quoted = plain.replace("\\", "_").replace('"', "_")
    return f"attachment; filename=\"{quoted}\"; filename*=UTF-8''{quote(file_name, safe='')}"


def attachment(content: bytes, file_name: str, media_type: str) -> Response:
    """These bytes under that name."""
    return Response(content, media_type=media_type, headers={"Content-Disposition": disposition(file_name)})


def stored_file(path: Path, file_name: str, media_type: str) -> Response:
    """A stored file under that name, a piece at a time. It can do nothing even where a browser would open it."""
    size = path.stat().st_size
    headers = {
        "Content-Disposition": disposition(file_name),
        "Content-Length": str(size),
        "Content-Security-Policy": "sandbox; default-src 'none'",
    }
    return StreamingResponse(_pieces(path), media_type=media_type, headers=headers)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from chunks_of(file)
