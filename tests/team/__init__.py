"""A team: every service on its own, as docker-compose.yml has them."""
