"""Whether a connection that lay idle still leads to a server."""

import time
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError

# A connection used so lately is trusted: under load, asking before each use would be every tenth trip to the server.
# Where the trust is misplaced one request fails, is told to come again, and takes all dead connections with it.
TRUST_SECONDS = 1.0


class PingAfterIdling:
    """Asks before a connection of the engine's pool is used again; where nobody answers, the pool connects anew."""

    def __init__(self, engine: Engine) -> None:
        self._dialect = engine.dialect
        event.listen(engine, "checkin", self._note)
        event.listen(engine, "checkout", self._ping)

    @staticmethod
    def _note(_connection: object, record: Any) -> None:
        record.info["used_at"] = time.monotonic()

    def _ping(self, connection: Any, record: Any, _proxy: object) -> None:
        used_at = record.info.get("used_at")
        if used_at is None or time.monotonic() - used_at < TRUST_SECONDS:
            return
        try:
            self._dialect.do_ping(connection)
        except self._dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error
