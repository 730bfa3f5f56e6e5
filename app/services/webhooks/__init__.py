"""Webhooks: addresses that are told of a study's events, signed as Standard Webhooks says.

An event becomes a delivery for each address in the transaction that writes it down; a run sends what is due, and what
isn't taken waits, longer each time. An address may get the same event twice (its id tells), and never none.
"""

from app.services.webhooks.subscriptions import (
    Made,
    add_webhook,
    deliveries_of,
    find_webhook,
    remove_webhook,
    send_test,
    studies_not_taken,
    webhooks_of,
)

__all__ = [
    "Made",
    "add_webhook",
    "deliveries_of",
    "find_webhook",
    "remove_webhook",
    "send_test",
    "studies_not_taken",
    "webhooks_of",
]
