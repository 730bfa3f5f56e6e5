"""Trying often is slow, others are not disturbed, nobody is locked out for good, and processes share the counts."""

import threading
from collections.abc import Sequence

import pytest
from sqlalchemy import func, select, text

from app.services import rate_limits
from app.services.rate_limits import (
    LONGEST_WAIT,
    SIGN_IN_ACCOUNT,
    SIGN_IN_ADDRESS,
    SIGN_IN_PAIR,
    UPLOADS,
    Use,
    network_of,
    sign_in_uses,
)
from app.storage.engine import Database
from app.storage.models import RateLimit


class Limits:
    """The limits at a clock that the test holds."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.now = 1000.0

    def ask(self, uses: Sequence[Use]) -> float:
        with self.database.write() as session:
            return rate_limits.admit(session, uses, self.now)

    def sign_in(self, email: str = "a@b", address: str = "1.2.3.4") -> float:
        return self.ask(sign_in_uses(email, address))


@pytest.fixture
def limits(database: Database) -> Limits:
    return Limits(database)


def test_waits_double_after_the_free_tries_and_have_an_end(limits: Limits) -> None:
    waits = []
    for _ in range(20):
        assert limits.sign_in() == 0
        wait = limits.sign_in()
        if wait == 0:
            continue
        waits.append(wait)
        limits.now += wait
    assert waits[:4] == [1, 2, 4, 8]
    assert max(waits) == LONGEST_WAIT


def test_others_are_not_disturbed(limits: Limits) -> None:
    while limits.sign_in() == 0:
        pass
    assert limits.sign_in("a@b", "5.6.7.8") == 0  # the owner, elsewhere
    assert limits.sign_in("c@d", "1.2.3.4") == 0  # a colleague behind the same address


def test_an_account_is_guarded_against_many_addresses(limits: Limits) -> None:
    admitted = sum(limits.sign_in("a@b", f"10.0.0.{n}") == 0 for n in range(40))
    assert admitted == SIGN_IN_ACCOUNT.free


def test_an_address_can_not_try_many_accounts(limits: Limits) -> None:
    admitted = sum(limits.sign_in(f"{n}@b", "10.0.0.1") == 0 for n in range(40))
    assert admitted == SIGN_IN_ADDRESS.free


def test_an_ipv6_customer_is_one_address() -> None:
    assert network_of("2001:db8:1:2:aaaa::1") == network_of("2001:db8:1:2:bbbb::2")
    assert network_of("2001:db8:1:3::1") != network_of("2001:db8:1:2::1")
    assert network_of("testclient") == "testclient"


def test_success_clears_the_count(limits: Limits, database: Database) -> None:
    for _ in range(35):
        assert limits.sign_in() == 0
        with database.write() as session:
            rate_limits.signed_in(session, "a@b", "1.2.3.4", limits.now)


def test_work_is_steady(limits: Limits) -> None:
    uses = [Use(UPLOADS, ("user:1",))]
    assert [limits.ask(uses) for _ in range(UPLOADS.burst)] == [0] * UPLOADS.burst
    assert limits.ask(uses) == UPLOADS.every
    assert limits.ask([Use(UPLOADS, ("user:2",))]) == 0
    limits.now += UPLOADS.every
    assert limits.ask(uses) == 0
    assert limits.ask(uses) == UPLOADS.every
    limits.now += UPLOADS.every * UPLOADS.burst  # all is worked off
    assert [limits.ask(uses) for _ in range(UPLOADS.burst)] == [0] * UPLOADS.burst


def test_a_parallel_burst_gains_nothing_however_many_processes_answer(limits: Limits, database_url: str) -> None:
    """Databases of their own have nothing in common but what is stored, as processes have."""
    processes = [Limits(Database(database_url)) for _ in range(4)]
    barrier, admitted = threading.Barrier(16), []

    def guess(process: Limits) -> None:
        barrier.wait()
        admitted.append(process.sign_in() == 0)

    threads = [threading.Thread(target=guess, args=(processes[n % 4],)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for process in processes:
        process.database.dispose()
    assert len(admitted) == 16
    assert sum(admitted) == SIGN_IN_PAIR.free


def test_a_clock_that_is_set_back_makes_no_wait_longer(limits: Limits) -> None:
    while (wait := limits.sign_in()) == 0:
        pass
    limits.now -= 10_000
    assert limits.sign_in() == wait
    limits.now += wait
    assert limits.sign_in() == 0


def test_whoever_only_waits_costs_no_write(limits: Limits, database: Database) -> None:
    with database.read() as session:
        assert rate_limits.must_wait(session, sign_in_uses("a@b", "1.2.3.4"), limits.now) == 0
    while (wait := limits.sign_in()) == 0:
        pass
    with database.read() as session:
        assert rate_limits.must_wait(session, sign_in_uses("a@b", "1.2.3.4"), limits.now) == wait


def test_the_clock_is_not_the_wall(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Setting a web server's time moves no limit: one machine has a monotonic clock, a team its database's."""
    with database.read() as session:
        first = rate_limits.clock_of(session)
    monkeypatch.setattr("time.time", lambda: 0.0)
    with database.read() as session:
        second = rate_limits.clock_of(session)
        if not database.is_sqlite:
            assert abs(second - float(session.scalar(text("SELECT extract(epoch FROM clock_timestamp())")))) < 60
    assert 0 <= second - first < 60


def test_old_counts_are_forgotten(limits: Limits, database: Database) -> None:
    with database.write() as session:
        now = rate_limits.clock_of(session)
        for key, since in (("kept", now - 10), ("old", now - 4000), ("of a clock set back", now + 4000)):
            session.add(RateLimit(key=key, level=1, wait=0, since=since))
        session.flush()
        rate_limits.forget_old(session)
        assert session.scalars(select(RateLimit.key)).all() == ["kept"]


def test_what_is_stored_names_nobody(limits: Limits, database: Database) -> None:
    limits.sign_in("ada@example.org", "192.0.2.77")
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(RateLimit)) == 3
        assert all(len(key) == 64 for key in session.scalars(select(RateLimit.key)))
