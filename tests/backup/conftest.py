"""What the tests of backups share."""

from tests.backup.places import opened, place

__all__ = ["opened", "place"]
