"""What is told of the installation: logs, readiness, measurements, traces, the page of admins."""
