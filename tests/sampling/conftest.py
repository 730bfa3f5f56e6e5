"""An installation to import into, and its admin."""

from tests.imports.conftest import importer
from tests.imports.test_web import admin

__all__ = ["admin", "importer"]
