"""People for the tests of their pages."""

from tests.security.world_fixture import world

__all__ = ["world"]
