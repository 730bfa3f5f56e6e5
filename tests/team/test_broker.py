"""What a Redis may forget is said, and one that doesn't tell is believed."""

import pytest
import redis

from app.services.runs.broker import shortcomings
from tests.services.process import free_port
from tests.services.redis_server import RedisServer


def test_a_redis_that_keeps_nothing_is_named(redis_server: RedisServer) -> None:
    (found,) = shortcomings(redis_server.url)
    assert "--appendonly yes" in found


def test_a_redis_that_drops_messages_is_named(redis_server: RedisServer) -> None:
    with redis.Redis.from_url(redis_server.url) as client:
        client.config_set("appendonly", "yes")
        client.config_set("maxmemory-policy", "allkeys-lru")
        assert shortcomings(redis_server.url) == [], "without a limit it drops nothing"
        client.config_set("maxmemory", "50mb")
        (found,) = shortcomings(redis_server.url)
        assert "allkeys-lru" in found
        client.config_set("maxmemory-policy", "noeviction")
        assert shortcomings(redis_server.url) == []


@pytest.mark.parametrize("rights", ["+@all -info", "nothing"])
def test_a_redis_that_may_not_tell_is_no_reason_to_stop(redis_server: RedisServer, rights: str) -> None:
    with redis.Redis.from_url(redis_server.url) as client:
        client.execute_command(
            "ACL", "SETUSER", "jury", "on", ">of-tests", "~*", *(rights.split() if "+" in rights else [])
        )
    assert shortcomings(redis_server.url.replace("//", "//jury:of-tests@")) == []


def test_nor_is_one_that_is_away() -> None:
    assert shortcomings(f"redis://127.0.0.1:{free_port()}/0") == []
