"""Exports: a study as files that other programs read, written by a run."""

from app.services.exports.requests import request_export

__all__ = ["request_export"]
