"""How often somebody may try something. The counts are in the database: several web processes share them.

Two kinds: guesses wait twice as long after each failure, work is steady. A wait ends by itself, so that nobody can
lock somebody else out for good. Whoever asks counts in a transaction of its own, before the deed: a deed that fails
is counted, and a burst of parallel tries gains nothing.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_address

from sqlalchemy import delete, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from app.ids import content_hash
from app.services.runs.periodic import periodic
from app.storage.models import RateLimit

LONGEST_WAIT = 15 * 60.0
# Every count is forgotten by then: failures at once, and work has long been worked off.
FORGET_AFTER = 60 * 60.0


@dataclass(frozen=True, slots=True)
class Guesses:
    """After some free tries each further one waits twice as long as the last."""

    name: str
    free: int

    def after(self, level: float, elapsed: float) -> tuple[float, float]:
        """The level after one more try, and the seconds until the next."""
        level = 1 if elapsed > FORGET_AFTER else level + 1
        return level, 0.0 if level < self.free else min(2.0 ** (level - self.free), LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class Steady:
    """So many at once, and then one every so many seconds."""

    name: str
    burst: int
    every: float

    def after(self, level: float, elapsed: float) -> tuple[float, float]:
        """The level after one more, and the seconds until the next."""
        level = max(0.0, level - elapsed / self.every) + 1
        return level, max(0.0, level - self.burst + 1) * self.every


# From one address to one account; to one account from anywhere; from one address to all accounts.
SIGN_IN_PAIR, SIGN_IN_ACCOUNT, SIGN_IN_ADDRESS = Guesses("pair", 5), Guesses("account", 20), Guesses("address", 30)
OWN_PASSWORD = Guesses("own password", 5)
# Only secrets that no link has count, so that a whole class may come by one link from one address.
WRONG_LINKS = Guesses("wrong link", 30)
# A program that goes on with a token that was revoked is no guesser, but it stops asking so often.
WRONG_TOKENS = Guesses("wrong token", 30)
UPLOADS = Steady("upload", 30, every=10.0)
EXPORTS = Steady("export", 10, every=30.0)
TRIES = Steady("tried transformation", 30, every=2.0)


@dataclass(frozen=True, slots=True)
class Use:
    """One try under one limit by one account, address, or pair of them."""

    limit: Guesses | Steady
    subject: tuple[str, ...]

    @property
    def key(self) -> str:
        """As stored: addresses of people are nobody's business."""
        return content_hash(self.limit.name, *self.subject)


def sign_in_uses(email: str, address: str) -> list[Use]:
    """What one try to sign in counts under."""
    network = network_of(address)
    return [
        Use(SIGN_IN_PAIR, (email, network)),
        Use(SIGN_IN_ACCOUNT, (email,)),
        Use(SIGN_IN_ADDRESS, (network,)),
    ]


def clock_of(session: Session) -> float:
    """Seconds on the one clock that all web processes share, and that setting a web server's time doesn't move.

    An embedded installation is one machine, whose monotonic clock all of its processes read.
    """
    if session.get_bind().dialect.name == "sqlite":
        return time.monotonic()
    return float(session.scalar(select(func.extract("epoch", func.clock_timestamp()))) or 0)


def must_wait(session: Session, uses: Sequence[Use], now: float) -> float:
    """The seconds that a try would have to wait, without counting it: whoever only waits costs no write."""
    rows = session.scalars(select(RateLimit).where(RateLimit.key.in_([use.key for use in uses])))
    return max((_left(row, now) for row in rows if row.since <= now), default=0.0)


def admit(session: Session, uses: Sequence[Use], now: float) -> float:
    """Count one try: 0 when it may go on, else the seconds to wait, and then it isn't counted."""
    rows = _locked(session, [use.key for use in uses], now)
    wait = max(_left(row, now) for row in rows.values())
    if wait <= 0:
        for use in uses:
            row = rows[use.key]
            row.level, row.wait = use.limit.after(row.level, now - row.since)
            row.since = now
    session.flush()
    return max(wait, 0.0)


def signed_in(session: Session, email: str, address: str, now: float) -> None:
    """The password was right: this address's tries at the account are forgotten, and this one counts nowhere."""
    pair, *others = (use.key for use in sign_in_uses(email, address))
    rows = _locked(session, [pair, *others], now)
    session.delete(rows[pair])
    for key in others:
        rows[key].level = max(0.0, rows[key].level - 1)
    session.flush()


def _left(row: RateLimit, now: float) -> float:
    return row.wait - (now - row.since)


def _locked(session: Session, keys: Sequence[str], now: float) -> dict[str, RateLimit]:
    """The rows of these keys, made where there are none. In one order, so that nobody waits for each other."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    for key in sorted(keys):
        fresh = insert(RateLimit).values(key=key, level=0.0, wait=0.0, since=now)
        session.execute(fresh.on_conflict_do_nothing())
    statement = select(RateLimit).where(RateLimit.key.in_(keys)).order_by(RateLimit.key).with_for_update()
    rows = session.scalars(statement.execution_options(populate_existing=True)).all()
    for row in rows:
        row.since = min(row.since, now)  # the clock went back: what is left of the wait begins anew, and no more
    return {row.key: row for row in rows}


@periodic(every=timedelta(minutes=10))
def forget_old(session: Session) -> None:
    """Drop what no longer matters, and what a clock that was set back would keep for ever."""
    now = clock_of(session)
    is_over = or_(RateLimit.since < now - FORGET_AFTER, RateLimit.since > now + FORGET_AFTER)
    session.execute(delete(RateLimit).where(is_over))


def network_of(address: str) -> str:
    """What counts as one address: an IPv6 customer holds a whole /64."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return parsed.exploded[:19]
    return address
