"""Celery: the processes that work in the background."""
