"""Files in an S3-compatible bucket. Who reads one gets a copy on this machine, kept for a day after its last use."""

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import structlog
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from app.errors import Busy, Conflict, NotFound
from app.storage.files import StoredFile, chunks_of, copy_measured
from app.words import gettext

COPY_SECONDS = 24 * 3600  # longer than any run lasts
MISSING = ("404", "NoSuchKey", "NotFound")

log = structlog.get_logger()


class BucketStore:
    """Files under ``s3://bucket/prefix``. boto3 finds the keys: in variables, a file, or the machine's role."""

    def __init__(self, address: str, endpoint: str | None, copies: Path) -> None:
        parts = urlsplit(address)
        self.bucket, self.prefix = parts.netloc, f"{parts.path.strip('/')}/".lstrip("/")
        self.endpoint = endpoint
        self.copies = copies

    def has(self, sha256: str) -> bool:
        """Whether the file with that hash is there."""
        return self._stored_at(sha256) is not None

    def save(self, chunks: Iterable[bytes], *, limit: int | None = None) -> StoredFile:
        """Store these bytes, in one request: complete under their name, or not at all."""
        with tempfile.TemporaryFile() as file:
            stored = copy_measured(chunks, file, limit)
            file.seek(0)
            with self._client() as client:
                client.put_object(Bucket=self.bucket, Key=self._key(stored.sha256), Body=file)
        return stored

    def path(self, sha256: str) -> Path:
        """A copy on this machine, fetched if there is none."""
        copy = self.copies / sha256
        try:
            os.utime(copy)
        except FileNotFoundError:
            self._fetch(sha256, copy)
        return copy

    def stored_before(self, moment: datetime) -> Iterator[str]:
        """Names of old files."""
        with self._client() as client:
            for page in client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=self.prefix):
                for each in page.get("Contents", ()):
                    if each["LastModified"] < moment:
                        yield each["Key"].rpartition("/")[2]

    def delete(self, name: str, *, stored_before: datetime) -> bool:
        """Delete an old file; storing the same bytes again makes it new."""
        stored_at = self._stored_at(name)
        if stored_at is None or stored_at >= stored_before:
            return False
        with self._client() as client:
            client.delete_object(Bucket=self.bucket, Key=self._key(name))
        return True

    def _key(self, sha256: str) -> str:
        return f"{self.prefix}{sha256[:2]}/{sha256}"

    def _stored_at(self, sha256: str) -> datetime | None:
        try:
            with self._client() as client:
                stored_at: datetime = client.head_object(Bucket=self.bucket, Key=self._key(sha256))["LastModified"]
                return stored_at
        except NotFound:
            return None

    def _fetch(self, sha256: str, copy: Path) -> None:
        self.copies.mkdir(parents=True, exist_ok=True)
        _forget_old(self.copies)
        descriptor, temporary = tempfile.mkstemp(prefix=".incoming-", dir=self.copies)
        try:
            with os.fdopen(descriptor, "wb") as file, self._client() as client:
                body = client.get_object(Bucket=self.bucket, Key=self._key(sha256))["Body"]
                fetched = copy_measured(chunks_of(body), file)
            if fetched.sha256 != sha256:
                raise Conflict(
                    gettext("A stored file is damaged: its content is not what its name says."),
                    remedy=gettext("Restore it from a backup."),
                )
            Path(temporary).replace(copy)
        finally:
            Path(temporary).unlink(missing_ok=True)

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """The client; its failures in words, without what the other side said, which is in the log."""
        try:
            yield _client_of(self.endpoint)
        except (ClientError, BotoCoreError) as error:
            code = error.response.get("Error", {}).get("Code") if isinstance(error, ClientError) else ""
            if code in MISSING:
                raise NotFound(
                    gettext("This file is gone from where the installation keeps its files."),
                    remedy=gettext("Restore it from a backup."),
                ) from error
            log.error("bucket_failed", bucket=self.bucket, exc_info=error)
            raise Busy(
                gettext("The place where this installation keeps its files can't be reached."),
                remedy=gettext("Try again in a moment."),
            ) from error


def _forget_old(copies: Path) -> None:
    for path in copies.iterdir():
        try:
            if path.stat().st_mtime < time.time() - COPY_SECONDS:
                path.unlink()
        except FileNotFoundError:  # another process was quicker
            continue


@lru_cache
def _client_of(endpoint: str | None) -> Any:
    """One client a process, since making one takes a while; threads may share it."""
    options = Config(
        connect_timeout=5,
        read_timeout=30,
        retries={"mode": "standard", "max_attempts": 3},
        # Checksums that only the newest servers know would shut all others out; names are checksums already.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    return boto3.session.Session().client("s3", endpoint_url=endpoint, config=options)


# Its connections belong to the process that opened them.
os.register_at_fork(after_in_child=_client_of.cache_clear)
