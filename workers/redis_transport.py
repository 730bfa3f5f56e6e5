"""kombu's Redis transport, in which a message that could not be acknowledged takes no place for good.

A worker asks for no more messages than it has processes. kombu takes a message off that account only after Redis has
confirmed the acknowledgement; where Redis kept silent once, the message stays on it, and after one such message for
each process the worker asks for nothing any more, while all else of it works. Here it comes off in any case. Redis
may then deliver it again a day later, which does no harm: a run's row decides who does it.
"""

from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual

SCHEMES = ("redis", "rediss")


class QoS(redis.QoS):
    """Counts what is delivered and not acknowledged."""

    def ack(self, delivery_tag: str) -> None:
        """Take it off the account, whatever Redis says; its failure goes on to be told."""
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> Any:
        """The same for a message that is given back."""
        try:
            super().reject(delivery_tag, requeue)  # type: ignore[no-untyped-call]
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


class Channel(redis.Channel):
    """A channel that counts so."""

    QoS = QoS


class Transport(redis.Transport):
    """A transport with such channels."""

    Channel = Channel


def install() -> None:
    """Use it for all addresses that begin with redis://; before the first connection."""
    for scheme in SCHEMES:
        TRANSPORT_ALIASES[scheme] = f"{__name__}:Transport"
