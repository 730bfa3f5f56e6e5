"""Real services for the tests: a PostgreSQL, a Redis and a Chromium, private to the run that starts them."""
