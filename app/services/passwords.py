"""Passwords: the rules for new ones, Argon2id, and a bound on the memory that a storm of sign-ins can take."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.errors import Busy, InvalidInput, Problem
from app.words import gettext

MIN_LENGTH = 10
MAX_LENGTH = 1024

# RFC 9106's second recommendation: 64 MiB, 3 passes, 4 lanes; above OWASP's floor of 19 MiB and 2 passes.
_hasher = PasswordHasher(time_cost=3, memory_cost=65536, parallelism=4)
# Each hash takes 64 MiB for about a tenth of a second: at most this many at a time.
_slots = BoundedSemaphore(2)
_SLOT_WAIT_SECONDS = 5.0

# Of the commonest passwords, those that pass the length rule; compared without case.
_COMMON = frozenset(
    """
    0123456789 01234567890 012345678910 0987654321 1029384756 1111111111 11111111111 1122334455 1123581321
    1212121212 123123123123 1231231231 1234512345 12345678900 12345678910 1234567890 123456789a 123456789q
    1234567891 12345678901 123456789012 1234567890a 1234567890q 1234561234 1234567abc 123qwe123qwe 123qweasdzxc
    147258369a 1472583690 1qaz2wsx3e 1qaz2wsx3edc 1qazxsw23edc 1q2w3e4r5t 1q2w3e4r5t6y 2222222222 3333333333
    4444444444 5555555555 6666666666 7777777777 7894561230 789456123a 8888888888 9876543210 987654321a 9999999999
    0000000000 00000000000 a123456789 a1234567890 aa12345678 aaaaaaaaaa abc1234567 abc123456789 abcd123456
    abcd12345678 abcdefghij abcdefghijk abcdefghijkl administrator admin12345 admin123456 admin1234567 adminadmin
    asd123asd123 asdasdasdasd asdf1234asdf asdfasdfasdf asdfghjkl1 asdfghjkl; asdfghjkl123 asdfghjklqwerty
    azertyuiop azertyuiop123 basketball baseball12 blink182182 bismillah1 changeme12 changeme123 changemenow
    christopher computer12 computer123 correcthorse correcthorsebatterystaple dragon1234 dragonball elizabeth1
    evangelion facebook12 facebook123 football12 football123 heartbreak hello12345 helloworld helloworld1
    helloworld123 iloveyou12 iloveyou123 iloveyou1234 iloveyousomuch internet12 jennifer12 letmein123 letmein1234
    letmeinnow liverpool1 liverpoolfc manchester masterkey1 metallica1 michaeljordan microsoft1 mypassword
    mypassword1 mypassword123 naruto1234 newpassword newpassword1 nirvana123 p@ssw0rd12 p@ssw0rd123 p@ssword123
    pa55word123 passw0rd12 passw0rd123 passw0rd1234 password00 password01 password10 password11 password12
    password123 password1234 password12345 password123456 password13 password1! password!! password99 passwordpassword
    poiuytrewq princess12 princess123 q1w2e3r4t5 q1w2e3r4t5y6 qazwsx1234 qazwsxedc1 qazwsxedc123 qazwsxedcrfv
    qqqqqqqqqq qwe123qwe123 qweasdzxc1 qweasdzxc123 qweqweqweqwe qwer123456 qwer1234qwer qwerasdfzxcv qwerty0987
    qwerty1234 qwerty12345 qwerty123456 qwerty1234567 qwertyqwerty qwertyuiop qwertyuiop1 qwertyuiop10
    qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiop[]\\ samsung123 secret1234 secretpassword
    spiderman1 starwars12 starwars123 sunshine12 sunshine123 superman12 superman123 supersecret testpassword
    test123456 test1234test testtesttest trustno1trustno1 tinkerbell unbelievable victoria12 welcome123
    welcome1234 welcome12345 whatever12 whatever123 yugioh1234 zaq12wsxcde3 zaq1xsw2cde3 zxcvbnm123 zxcvbnm1234
    zxcvbnm,./ zxcvbnm12345 zzzzzzzzzz codejury12 codejury123 codejurycodejury
    """.split()  # noqa: SIM905 - a table of words reads better than two hundred quoted ones
)


_WORD = re.compile(r"[^\W_]+")
# A shorter word is in other words by chance; fewer letters of one's own than this are no secret.
LEAST_WORD = 3
LEAST_OWN_LETTERS = 4


def objection(password: str, *, about: tuple[str, ...] = ()) -> str | None:
    """Why this can't be a new password; None when it can. ``about`` holds what everybody knows of the person."""
    if len(password) < MIN_LENGTH:
        return gettext("Use at least %(number)s characters; a few unrelated words do well.", number=MIN_LENGTH)
    if len(password) > MAX_LENGTH:
        return gettext("Use at most %(number)s characters.", number=MAX_LENGTH)
    plain = password.casefold()
    if plain in _COMMON or len(set(plain)) < 4:
        return gettext("This is among the first passwords that a stranger would try. Choose another.")
    if _is_made_of(plain, about):
        return gettext("A name or an e-mail address is no secret. Choose another.")
    return None


def _is_made_of(plain: str, about: tuple[str, ...]) -> bool:
    """Whether little is left without what everybody knows, as of "adaexampleorg" or "Ada-Lovelace-1815"."""
    words = {word for text in about for word in _WORD.findall(text.casefold()) if len(word) >= LEAST_WORD}
    known = words | {"".join(_WORD.findall(text.casefold())) for text in about}
    left = "".join(_WORD.findall(plain))
    for word in sorted(known - {""}, key=len, reverse=True):
        left = left.replace(word, " ")
    return " " in left and sum(map(str.isalpha, left)) < LEAST_OWN_LETTERS


def new_hash(password: str, *, about: tuple[str, ...] = ()) -> str:
    """The hash of a new password, or InvalidInput with why it can't be one.

    It takes a tenth of a second: call it before a write transaction begins, so that nobody waits for it.
    """
    if message := objection(password, about=about):
        raise InvalidInput(gettext("This password can't be used."), [Problem(message, field="password")])
    return hash_password(password)


def hash_password(password: str) -> str:
    """The Argon2id hash to store; Busy when too many people sign in at once."""
    with _slot():
        return _hasher.hash(password)


def verify(password_hash: str | None, password: str) -> bool:
    """Whether the password fits. Without a hash (no such account) it takes the same time and is False."""
    with _slot():
        try:
            fits = _hasher.verify(password_hash or _dummy_hash(), password)
        except (VerificationError, InvalidHashError):
            return False
    return fits and password_hash is not None


def is_outdated(password_hash: str) -> bool:
    """Whether the hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(password_hash)


@lru_cache
def _dummy_hash() -> str:
    return _hasher.hash("nobody has this password")


@contextmanager
def _slot() -> Iterator[None]:
    if not _slots.acquire(timeout=_SLOT_WAIT_SECONDS):
        raise Busy(gettext("Many people are signing in just now."), remedy=gettext("Try again in a few seconds."))
    try:
        yield
    finally:
        _slots.release()
