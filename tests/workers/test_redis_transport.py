"""A Redis that kept silent once must not cost a worker one of its places."""

from collections.abc import Callable, Iterator

import pytest
from kombu import Connection, Consumer, Queue
from kombu.transport import redis as kombu_redis
from redis.exceptions import TimeoutError as Silence

from tests.services import programs
from tests.services.redis_server import RedisServer
from workers import redis_transport

pytestmark = pytest.mark.redis
Call = Callable[[object], None]
CALLS: dict[str, Call] = {
    "ack": lambda message: message.ack(),  # type: ignore[attr-defined]
    "reject": lambda message: message.reject(),  # type: ignore[attr-defined]
}


@pytest.fixture
def server() -> Iterator[RedisServer]:
    program = programs.REDIS.find()
    assert program, programs.REDIS.remedy
    server = RedisServer(program)
    yield server
    server.remove()


def places_left_after(server: RedisServer, transport: type, call: Call) -> bool:
    """Whether a consumer of one message at a time wants the next, after Redis was silent at the last one's end."""
    connection = Connection(server.url, transport=transport, transport_options={"socket_timeout": 1})
    queue, taken = Queue("one"), []
    with connection, connection.channel() as channel:
        connection.Producer().publish({}, routing_key="one", exchange="", declare=[queue])
        with Consumer(channel, [queue], callbacks=[lambda _, message: taken.append(message)]) as consumer:
            consumer.qos(prefetch_count=1)
            connection.drain_events(timeout=10)
            assert not channel.qos.can_consume()
            server.freeze(frozen=True)
            with pytest.raises(Silence):
                call(taken[0])
            server.freeze(frozen=False)
            return bool(channel.qos.can_consume())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_message_that_could_not_be_acknowledged_takes_no_place(server: RedisServer, call: Call) -> None:
    assert places_left_after(server, redis_transport.Transport, call)


def test_with_the_transport_as_it_comes_it_does(server: RedisServer) -> None:
    """When this fails, kombu has learned it, and ours can go."""
    assert not places_left_after(server, kombu_redis.Transport, CALLS["ack"])


def test_it_is_used_for_addresses_of_redis(server: RedisServer) -> None:
    redis_transport.install()
    with Connection(server.url) as connection:
        assert isinstance(connection.transport, redis_transport.Transport)
