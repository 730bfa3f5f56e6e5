"""A private server that speaks S3, for as long as somebody wants it."""

from collections.abc import Iterator
from contextlib import contextmanager

import boto3
import pytest
from moto.server import ThreadedMotoServer

BUCKET = "jury"
# What a compatible server asks for; this one believes anything.
KEYS = {"AWS_ACCESS_KEY_ID": "of-tests", "AWS_SECRET_ACCESS_KEY": "of-tests", "AWS_DEFAULT_REGION": "us-east-1"}


@contextmanager
def bucket_server() -> Iterator[str]:
    """Its address. It has one bucket, and this process the keys to it."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEYS.items():
            patch.setenv(name, value)
        boto3.client("s3", endpoint_url=address).create_bucket(Bucket=BUCKET)
        yield address
    server.stop()
