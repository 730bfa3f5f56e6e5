"""An installation to import into."""

from tests.imports.conftest import importer

__all__ = ["importer"]
