"""The world of the security tests, to be looked at."""

from tests.security.world_fixture import world

__all__ = ["world"]
