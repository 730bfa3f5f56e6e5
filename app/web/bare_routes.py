"""Routes that read the request themselves.

FastAPI looks at each parameter and dependency anew for every request, which counts where requests come in crowds.
"""

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect

from app.web.access import AsksItself

_JSON = re.compile(r"application/(?:[^/]*\+)?json")


class BareRoute(APIRoute):
    """Its function is async and takes the request alone. No dependency runs, so it declares none but AsksItself."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function as it is."""
        if not all(isinstance(each.dependency, AsksItself) for each in self.dependencies):
            raise RuntimeError(f"{self.path} declares what a bare route would not do.")
        return self.endpoint


async def sent_json(request: Request) -> Any:
    """The body as FastAPI would read it: JSON where it says so, else its bytes, and None where there is none."""
    try:
        body = await request.body()
        return json.loads(body) if body and _is_json(request) else body or None
    except json.JSONDecodeError as error:
        found = {"type": "json_invalid", "loc": ("body", error.pos), "msg": "JSON decode error"}
        raise RequestValidationError([found]) from error
    except (ValueError, RecursionError, ClientDisconnect) as error:
        raise HTTPException(400, "There was an error parsing the body") from error


def _is_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return _JSON.fullmatch(kind) is not None
