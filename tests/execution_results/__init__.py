"""Tests of what executions tell."""
