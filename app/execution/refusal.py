"""The one message where no wall stands."""

from collections.abc import Sequence

from app.errors import AppError

REMEDY = """Fix one of:
  (1) Docker: run the runner service of docker-compose.yml and set CODEJURY_RUNNER_SOCKET;
  (2) in another container: Docker 23 or newer (its default profile allows Landlock), or a seccomp profile that
      allows unshare, mount and pivot_root (--security-opt seccomp=PROFILE);
  (3) Ubuntu 24.04 or newer: install bubblewrap and an AppArmor profile for /usr/bin/bwrap that says "userns,";
  (4) macOS and Windows: run the worker in Docker or WSL2.
docs/sandbox.md tells more.
To run model-written code WITHOUT isolation (never on a machine with secrets, never as root):
CODEJURY_SANDBOX=none and CODEJURY_ACCEPT_NO_ISOLATION=yes"""


class NoSandbox(AppError):
    """No wall stands on this machine, so nothing is run."""

    status = 503

    def __init__(self, tried: Sequence[tuple[str, str]]) -> None:
        """``tried``: each tier's name and why it is not to be had."""
        lines = [f"  {name}: {' '.join(reason.split())}" for name, reason in tried]
        super().__init__(
            "\n".join(["Code execution is off: no working sandbox on this host.", *lines]), remedy=REMEDY
        )
        self.tried = tuple(tried)
