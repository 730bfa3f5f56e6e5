"""Guessing is slow, others are not disturbed, and nobody is locked out for good."""

import threading

from app.services.sign_in_limits import LONGEST_WAIT, MAX_KEYS, SignInLimits, network_of


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_waits_double_after_the_free_tries_and_have_an_end() -> None:
    clock = Clock()
    limits = SignInLimits(clock)
    waits = []
    for _ in range(20):
        assert limits.admit("a@b", "1.2.3.4") == 0
        wait = limits.admit("a@b", "1.2.3.4")
        if wait == 0:
            continue
        waits.append(wait)
        clock.now += wait
    assert waits[:4] == [1, 2, 4, 8]
    assert max(waits) == LONGEST_WAIT


def test_others_are_not_disturbed() -> None:
    clock = Clock()
    limits = SignInLimits(clock)
    while limits.admit("a@b", "1.2.3.4") == 0:
        pass
    assert limits.admit("a@b", "5.6.7.8") == 0  # the owner, elsewhere
    assert limits.admit("c@d", "1.2.3.4") == 0  # a colleague behind the same address


def test_an_account_is_guarded_against_many_addresses() -> None:
    limits = SignInLimits(Clock())
    admitted = sum(limits.admit("a@b", f"10.0.0.{n}") == 0 for n in range(100))
    assert admitted == SignInLimits.ACCOUNT_FREE


def test_an_address_can_not_try_many_accounts() -> None:
    limits = SignInLimits(Clock())
    admitted = sum(limits.admit(f"{n}@b", "10.0.0.1") == 0 for n in range(100))
    assert admitted == SignInLimits.ADDRESS_FREE


def test_an_ipv6_customer_is_one_address() -> None:
    assert network_of("2001:db8:1:2:aaaa::1") == network_of("2001:db8:1:2:bbbb::2")
    assert network_of("2001:db8:1:3::1") != network_of("2001:db8:1:2::1")
    assert network_of("testclient") == "testclient"


def test_success_clears_the_count() -> None:
    limits = SignInLimits(Clock())
    for _ in range(50):
        assert limits.admit("a@b", "1.2.3.4") == 0
        limits.succeeded("a@b", "1.2.3.4")


def test_a_parallel_burst_gains_nothing() -> None:
    limits = SignInLimits(Clock())
    admitted = []
    barrier = threading.Barrier(32)

    def guess() -> None:
        barrier.wait()
        admitted.append(limits.admit("a@b", "1.2.3.4") == 0)

    threads = [threading.Thread(target=guess) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(admitted) == SignInLimits.PAIR_FREE


def test_memory_is_bounded() -> None:
    clock = Clock()
    limits = SignInLimits(clock)
    for n in range(MAX_KEYS):
        limits.admit(f"{n}@b", f"10.{n >> 16}.{(n >> 8) & 255}.{n & 255}")
    assert len(limits._tries) <= MAX_KEYS
