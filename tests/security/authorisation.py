"""Who may use which route: one row a route and method, written down apart from the code.

Add a row for each new route; the walk in test_authorisation.py fails for a route without one, and for a row without a
route. Where a path holds a parameter that the walk doesn't know yet, give its value in ``world.py``.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Access:
    """The role that a route asks for, and what is special about it.

    ``own_study``: an annotator of another study must find nothing (404).
    ``reading_changes``: why a GET may change rows; empty for all others.
    """

    role: Literal["anyone", "annotator", "researcher", "admin"]
    own_study: bool = False
    reading_changes: str = ""


ANYONE, ANNOTATOR, RESEARCHER, ADMIN = Access("anyone"), Access("annotator"), Access("researcher"), Access("admin")

EXPECTED: dict[str, Access] = {
    "GET /": ANYONE,
    "GET /health": ANYONE,
    # people
    "GET /sign-in": ANYONE,
    "POST /sign-in": ANYONE,
    "POST /sign-out": ANYONE,
    "GET /setup/{token}": ANYONE,
    "POST /setup/{token}": ANYONE,
    "GET /account": RESEARCHER,
    "POST /account/password": RESEARCHER,
    "POST /account/sign-out-everywhere": RESEARCHER,
    "GET /people": ADMIN,
    "POST /people/invitations": ADMIN,
    "POST /people/invitations/{link_id}/revoke": ADMIN,
    "POST /people/{user_id}/role": ADMIN,
    "POST /people/{user_id}/disable": ADMIN,
    "POST /people/{user_id}/enable": ADMIN,
    "POST /people/{user_id}/password-link": ADMIN,
    # studies
    "GET /studies": RESEARCHER,
    "GET /studies/new": ADMIN,
    "POST /studies/new": ADMIN,
    "GET /studies/{slug}/desk": ADMIN,
    "POST /studies/{slug}/desk": ADMIN,
    "POST /studies/{slug}/desk/state": ADMIN,
    "POST /studies/{slug}/desk/invitations": ADMIN,
    "POST /studies/{slug}/desk/invitations/{invitation_id}/revoke": ADMIN,
    "POST /studies/{slug}/desk/annotators/{annotator_id}/link": ADMIN,
}
