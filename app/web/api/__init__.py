"""The API for programs: what the pages do, as JSON under /api/v1. Thin as the pages: services do the work."""
