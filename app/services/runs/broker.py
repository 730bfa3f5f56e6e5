"""What a broker may forget. Nothing is lost by it, since rows are the truth; but what was sent is late then."""

import redis

PATIENCE_SECONDS = 2


def shortcomings(url: str) -> list[str]:
    """Each with its remedy. None where the broker is away (a worker says so anyway) or may not tell."""
    client = redis.Redis.from_url(url, socket_connect_timeout=PATIENCE_SECONDS, socket_timeout=PATIENCE_SECONDS)
    try:
        told = {**client.info("persistence"), **client.info("memory")}
    except redis.RedisError:
        return []
    finally:
        client.close()
    return [*_of_persistence(told), *_of_eviction(told)]


def _of_persistence(told: dict[str, object]) -> list[str]:
    if told.get("aof_enabled", 1):
        return []
    return [
        "Redis keeps no log of what it holds: runs that were sent wait a minute longer after its restart. "
        "Start it with --appendonly yes."
    ]


def _of_eviction(told: dict[str, object]) -> list[str]:
    policy = told.get("maxmemory_policy", "noeviction")
    if policy == "noeviction" or not told.get("maxmemory"):
        return []
    return [
        f"Redis drops what it holds when its memory is full ({policy}): messages get lost without a word. "
        "Start it with --maxmemory-policy noeviction."
    ]
