"""Events of studies: a run ended, grades came, the target was met, the state changed.

A periodic job finds them in what is stored anyway, so that nothing on an annotator's way costs more for it, and
writes them into one table in one order. Streams and webhooks read from there.
"""

from app.services.events.reading import KINDS, events_after, newest_event

__all__ = ["KINDS", "events_after", "newest_event"]
