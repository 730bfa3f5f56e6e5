"""Guessing passwords is slowed down, per account and per address.

The counts live in the memory of one process. That is right for one web process; with several, a guesser gets the
allowance once for each of them.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from threading import Lock

LONGEST_WAIT = 15 * 60.0
FORGET_AFTER = 60 * 60.0
MAX_KEYS = 20_000


@dataclass(slots=True)
class _Tries:
    count: int
    next_at: float
    last_at: float


class SignInLimits:
    """After some free tries each further one waits twice as long as the last; success clears the account's count.

    Waits end by themselves (nobody can lock another's account for good), and every try is counted before the
    password is looked at, so that a burst of parallel tries gains nothing.
    """

    # From one address to one account; to one account from anywhere; from one address to all accounts.
    PAIR_FREE, ACCOUNT_FREE, ADDRESS_FREE = 5, 20, 30

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: OrderedDict[tuple[str, ...], _Tries] = OrderedDict()
        self._lock = Lock()

    def admit(self, email: str, address: str) -> float:
        """Count one try: 0 when it may go on, else the seconds to wait (and then it isn't counted)."""
        limits = self._keys(email, network_of(address))
        with self._lock:
            now = self._clock()
            wait = max(self._wait(key, now) for key in limits)
            if wait <= 0:
                for key, free in limits.items():
                    self._count(key, free, now)
            return max(wait, 0.0)

    def succeeded(self, email: str, address: str) -> None:
        """The password was right: this address's tries at the account are forgotten."""
        network = network_of(address)
        with self._lock:
            self._tries.pop(("pair", email, network), None)
            for key in (("account", email), ("address", network)):
                if key in self._tries:
                    self._tries[key].count -= 1

    def _keys(self, email: str, network: str) -> dict[tuple[str, ...], int]:
        return {
            ("pair", email, network): self.PAIR_FREE,
            ("account", email): self.ACCOUNT_FREE,
            ("address", network): self.ADDRESS_FREE,
        }

    def _wait(self, key: tuple[str, ...], now: float) -> float:
        tries = self._tries.get(key)
        return tries.next_at - now if tries else 0.0

    def _count(self, key: tuple[str, ...], free: int, now: float) -> None:
        tries = self._tries.pop(key, None)
        if tries is None or now - tries.last_at > FORGET_AFTER:
            tries = _Tries(0, now, now)
        tries.count += 1
        tries.last_at = now
        if tries.count >= free:
            tries.next_at = now + min(2.0 ** (tries.count - free), LONGEST_WAIT)
        self._tries[key] = tries
        if len(self._tries) > MAX_KEYS:
            self._tries.popitem(last=False)


def network_of(address: str) -> str:
    """What counts as one address: an IPv6 customer holds a whole /64."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return parsed.exploded[:19]
    return address
