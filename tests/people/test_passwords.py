"""Passwords: rules, hashes, and the bound on memory."""

import threading

import pytest
from argon2 import PasswordHasher, extract_parameters

from app.errors import InvalidInput
from app.services import passwords

pytestmark = pytest.mark.usefixtures("real_hasher")


def test_the_hash_is_at_least_what_owasp_asks() -> None:
    parameters = extract_parameters(passwords.hash_password("x"))
    assert parameters.type.name == "ID"
    assert parameters.memory_cost >= 19 * 1024
    assert parameters.time_cost >= 2
    assert parameters.salt_len >= 16


def test_only_the_same_password_fits() -> None:
    long = "a long password " * 8
    hashed = passwords.hash_password(long)
    assert passwords.verify(hashed, long)
    assert not passwords.verify(hashed, long[:-1] + "!")  # nothing is cut off at 72 bytes
    assert not passwords.verify(None, "nobody has this password")
    assert not passwords.verify("not a hash", long)


def test_weaker_hashes_are_outdated() -> None:
    assert passwords.is_outdated(PasswordHasher(time_cost=1, memory_cost=8192, parallelism=1).hash("x"))
    assert not passwords.is_outdated(passwords.hash_password("x"))


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("short", "at least 10"),
        ("x" * 9, "at least 10"),
        ("abcd" * 257, "at most 1024"),
        ("Password123", "first passwords"),
        ("qwertyuiop", "first passwords"),
        ("aabbaabbaabb", "first passwords"),
        ("ada@example.org", "no secret"),
        ("ADA LOVELACE", "no secret"),
        ("adaexampleorg", "no secret"),
        ("ada-example.org", "no secret"),
        ("Lovelace.Ada", "no secret"),
        ("adalovelace1815", "no secret"),
    ],
)
def test_bad_passwords_are_refused_with_the_reason(password: str, words: str) -> None:
    with pytest.raises(InvalidInput) as failure:
        passwords.new_hash(password, about=("ada@example.org", "Ada Lovelace"))
    assert words in failure.value.problems[0].message
    assert failure.value.problems[0].field == "password"


@pytest.mark.parametrize(
    "password", ["purple monkey dishwasher", "pässwörd-čeština", "tabs\tand spaces ", "🐍" * 3 + "python!"]
)
def test_anything_unusual_is_welcome(password: str) -> None:
    assert passwords.objection(password) is None


def test_a_name_within_a_password_of_ones_own_is_welcome() -> None:
    about = ("ada@example.org", "Ada Lovelace")
    for password in ("canada maple syrup", "ada feeds nine crows"):
        assert passwords.objection(password, about=about) is None


def test_a_storm_of_sign_ins_takes_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, lock = 0, 0, threading.Lock()
    hold = threading.Event()

    class Slow:
        def hash(self, password: str) -> str:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            hold.wait(0.01)
            with lock:
                running -= 1
            return "hash"

    monkeypatch.setattr(passwords, "_hasher", Slow())
    threads = [threading.Thread(target=passwords.hash_password, args=("x",)) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2
