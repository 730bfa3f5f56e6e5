"""Which methods an address takes. Starlette names those of the first route with the path; there may be more."""

import re
from functools import lru_cache

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import compile_path


def methods_at(web: FastAPI, path: str) -> list[str]:
    """All of them, in alphabetical order; none where there is no such address, or a folder of files."""
    found = [each for each in iter_route_contexts(web.routes) if each.path and _regex(each.path).match(path)]
    return sorted({method for each in found for method in each.methods or ()})


@lru_cache(maxsize=1024)
def _regex(pattern: str) -> re.Pattern[str]:
    return compile_path(pattern)[0]
