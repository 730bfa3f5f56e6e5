"""The world of the security tests."""

from tests.security.world_fixture import world

__all__ = ["world"]
