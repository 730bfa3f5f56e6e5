"""Roles of items whose right answers an admin gives."""

ROLES = ("practice", "loud", "silent")
