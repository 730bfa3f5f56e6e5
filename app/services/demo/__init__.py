"""The demo study: made on the first start, so that there is something to grade and something to read."""

from app.services.demo.study import DemoLinks, ensure_demo, make_demo

__all__ = ["DemoLinks", "ensure_demo", "make_demo"]
