"""How the installation is: for the page of admins, for /ready, for Prometheus."""
