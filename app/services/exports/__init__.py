"""Exports: a study as files that other programs read, written by a run."""

from app.services.exports.requests import ExportRequest, Form, request_export

__all__ = ["ExportRequest", "Form", "request_export"]
