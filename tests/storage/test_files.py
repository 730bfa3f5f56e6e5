"""Files keep the same promises in a folder and in a bucket."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import boto3
import pytest
import time_machine

from app.config import PROJECT_ROOT, Settings
from app.errors import Busy, Conflict, NotFound, TooLarge
from app.storage.bucket import COPY_SECONDS, BucketStore
from app.storage.files import Files, files_of
from tests.services.process import free_port

CONTENT = [b"print(", b"1)\n"]
SHA256 = hashlib.sha256(b"print(1)\n").hexdigest()
LATER = datetime.now(UTC) + timedelta(days=1)


@pytest.fixture
def bucket(bucket_endpoint: str, bucket_url: str, tmp_path: Path) -> BucketStore:
    """A prefix of this test's own."""
    settings = Settings(  # type: ignore[call-arg]
        CODEJURY_DATA_DIR=tmp_path,
        CODEJURY_BUCKET=bucket_url,
        CODEJURY_BUCKET_ENDPOINT=bucket_endpoint,
    )
    files = files_of(settings)
    assert isinstance(files, BucketStore)
    return files


@pytest.fixture(params=["folder", "bucket"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    """Each kind of place."""
    if request.param == "bucket":
        return request.getfixturevalue("bucket")  # type: ignore[no-any-return]
    return files_of(Settings(CODEJURY_DATA_DIR=tmp_path))  # type: ignore[call-arg]


def test_what_is_saved_is_read_under_the_hash_of_its_content(files: Files) -> None:
    stored = files.save(CONTENT)
    assert (stored.sha256, stored.size) == (SHA256, 9)
    assert files.has(SHA256)
    assert files.path(SHA256).read_bytes() == b"print(1)\n"
    assert files.save([b"print(1)\n"]) == stored
    assert list(files.stored_before(LATER)) == [SHA256]


def test_an_empty_file_is_a_file(files: Files) -> None:
    assert files.path(files.save([]).sha256).read_bytes() == b""


def test_too_much_is_not_stored(files: Files) -> None:
    with pytest.raises(TooLarge):
        files.save([b"x" * 10] * 3, limit=25)
    assert list(files.stored_before(LATER)) == []


def test_a_cut_off_upload_leaves_nothing(files: Files) -> None:
    def cut_off() -> Iterator[bytes]:
        yield b"half"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        files.save(cut_off())
    assert list(files.stored_before(LATER)) == []


def test_only_what_is_old_is_deleted(files: Files) -> None:
    files.save(CONTENT)
    assert not files.delete(SHA256, stored_before=datetime.now(UTC) - timedelta(days=1))
    assert files.has(SHA256)
    assert list(files.stored_before(datetime.now(UTC) - timedelta(days=1))) == []
    assert files.delete(SHA256, stored_before=LATER)
    assert not files.has(SHA256)
    assert not files.delete(SHA256, stored_before=LATER)


def test_a_bucket_is_read_once_and_its_copy_goes_a_day_after_its_last_use(bucket: BucketStore) -> None:
    other = bucket.save([b"other"]).sha256
    copy = bucket.path(bucket.save(CONTENT).sha256)
    assert bucket.delete(SHA256, stored_before=LATER)
    assert bucket.path(SHA256) == copy, "the copy serves as long as it is there"
    long_ago = copy.stat().st_mtime - COPY_SECONDS - 1
    os.utime(copy, (long_ago, long_ago))
    bucket.path(other)
    assert [path.name for path in bucket.copies.iterdir()] == [other]
    with pytest.raises(NotFound, match="gone"):
        bucket.path(SHA256)


def test_a_damaged_file_of_a_bucket_is_not_read(bucket: BucketStore, bucket_endpoint: str) -> None:
    bucket.save(CONTENT)
    client = boto3.client("s3", endpoint_url=bucket_endpoint)
    client.put_object(Bucket="jury", Key=f"{bucket.prefix}{SHA256[:2]}/{SHA256}", Body=b"something else")
    with pytest.raises(Conflict, match="damaged"):
        bucket.path(SHA256)
    assert list(bucket.copies.iterdir()) == []


def test_two_installations_share_a_bucket_by_prefix(
    bucket: BucketStore, bucket_endpoint: str, tmp_path: Path
) -> None:
    bucket.save(CONTENT)
    assert not BucketStore("s3://jury/another", bucket_endpoint, tmp_path).has(SHA256)
    assert BucketStore(f"s3://jury/{bucket.prefix}", bucket_endpoint, tmp_path).has(SHA256)


def test_a_bucket_that_is_away_says_so_and_tells_nothing_of_the_other_side(
    tmp_path: Path, bucket_endpoint: str
) -> None:
    for away in (
        BucketStore("s3://jury", f"http://127.0.0.1:{free_port()}", tmp_path),
        BucketStore("s3://nobody-made-it", bucket_endpoint, tmp_path),
    ):
        with pytest.raises(Busy) as failure:
            away.save(CONTENT)
        assert failure.value.in_words() == (
            "The place where this installation keeps its files can't be reached.\nTry again in a moment."
        )


def test_a_bucket_that_was_stored_to_again_meanwhile_keeps_its_file(bucket: BucketStore) -> None:
    bucket.save(CONTENT)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=8)):
        week_ago = datetime.now(UTC) - timedelta(days=7)
        assert list(bucket.stored_before(week_ago)) == [SHA256]
        bucket.save(CONTENT)
        assert not bucket.delete(SHA256, stored_before=week_ago)
    assert bucket.has(SHA256)


def test_without_a_bucket_its_library_is_not_loaded() -> None:
    program = "import sys, app.main, workers.main; print('boto3' in sys.modules)"
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout == "False\n"
