"""A whole installation as one file: every row of every table, and the stored files.

One format for both databases, so that what ran on SQLite goes on on PostgreSQL, and the other way round. Copies of
database files (or pg_dump) would be quicker with very many rows, but need the same kind of database, its tools in the
same version, and say nothing of the files beside it.

    from app.storage.backup import write_backup, read_manifest, restore
"""

from app.storage.backup.layout import Manifest, read_manifest
from app.storage.backup.restoring import restore
from app.storage.backup.writing import write_backup

__all__ = ["Manifest", "read_manifest", "restore", "write_backup"]
