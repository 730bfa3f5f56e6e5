"""The time between two moments, which the two databases reckon differently."""

from typing import Any

from sqlalchemy import Float
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class Seconds(FunctionElement[float]):
    """``Seconds(begin, end)``: how many lie between them; NULL where one of them is unknown."""

    type = Float()
    inherit_cache = True


@compiles(Seconds, "sqlite")
def _in_days(element: Seconds, compiler: Any, **options: Any) -> str:
    begin, end = (compiler.process(each, **options) for each in element.clauses)
    return f"(julianday({end}) - julianday({begin})) * 86400.0"


@compiles(Seconds, "postgresql")
def _as_epoch(element: Seconds, compiler: Any, **options: Any) -> str:
    begin, end = (compiler.process(each, **options) for each in element.clauses)
    return f"extract(epoch FROM {end} - {begin})::float8"
