"""Use cases: rows in, science called, rows out. Functions take a session and never commit."""
