"""Storage: tables, engines, sessions and queries. Nothing here commits but the sessions themselves."""
