"""The web: thin routes, each with its permission declared on it."""
