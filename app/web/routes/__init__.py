"""The routes, one area a file; each file has a ``router``."""
