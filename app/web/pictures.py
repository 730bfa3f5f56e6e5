"""A problem's picture as an answer."""

from fastapi import Request
from starlette.responses import Response

from app.storage.files import files_of
from app.storage.models import Artifact


def picture_response(request: Request, artifact: Artifact) -> Response:
    """The picture. Without validators (a hash, the time of the upload): both would tell more than what it shows."""
    content = files_of(request.app.state.settings).path(artifact.sha256).read_bytes()
    return Response(content, media_type=artifact.media_type, headers={"Cache-Control": "private, max-age=3600"})
