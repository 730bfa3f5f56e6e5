"""A private PostgreSQL: its own files, its own port, no promise to keep anything."""

import itertools
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psycopg

from tests.services.process import Server, ServiceError, as_user, free_port, private_folder, unprivileged_user

ATTEMPTS = 3  # another process may take the port first
RESTARTS = 20

# Tests need neither durability nor quiet: both cost time.
OPTIONS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")
# As an installation has it, for benchmarks.
DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=200")


class PostgresServer:
    """A cluster that lives in a temporary folder until ``stop``."""

    def __init__(self, program: Path, options: tuple[str, ...] = OPTIONS) -> None:
        self._program = program
        self._options = options
        # PostgreSQL refuses to run as root.
        self._user = unprivileged_user("postgres")
        self._folder = private_folder("codejury-postgres-", self._user)
        self._numbers = itertools.count(1)
        try:
            self._initialise()
            self._server = self._start()
        except BaseException:
            self._remove()
            raise

    def _initialise(self) -> None:
        initdb = self._program.with_name("initdb")
        words = ["--auth=trust", "--username=codejury", "--encoding=UTF8", "--locale=C", "--no-sync"]
        command = [str(initdb), "--pgdata", str(self._folder / "data"), *words]
        result = subprocess.run(  # type: ignore[call-overload]
            command, cwd=self._folder, capture_output=True, text=True, check=False, **as_user(self._user)
        )
        if result.returncode != 0:
            raise ServiceError(f"initdb failed: {result.stderr}{result.stdout}")

    def _start(self) -> Server:
        for attempt in range(1, ATTEMPTS + 1):
            self._port = free_port()
            try:
                return Server(self._command(), user=self._user, folder=self._folder, is_ready=self._is_ready)
            except ServiceError:
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError

    def _command(self) -> list[str]:
        options = (*self._options, "listen_addresses=127.0.0.1", f"port={self._port}")
        options += (f"unix_socket_directories={self._folder}",)
        settings = [word for option in options for word in ("-c", option)]
        return [str(self._program), "-D", str(self._folder / "data"), *settings]

    def _connection(self) -> str:
        return f"host=127.0.0.1 port={self._port} user=codejury connect_timeout=2"

    def _is_ready(self) -> bool:
        try:
            psycopg.connect(f"{self._connection()} dbname=postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def create_database(self, name: str | None = None, *, template: str = "template1") -> str:
        """Return the address, in SQLAlchemy's form, of a new database: empty, or a copy of ``template``."""
        name = name or f"codejury_{next(self._numbers)}"
        with psycopg.connect(f"{self._connection()} dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return f"postgresql+psycopg://codejury@127.0.0.1:{self._port}/{name}"

    def by_socket(self, url: str) -> str:
        """The same database, reached as programs on its own machine reach it."""
        name = url.rsplit("/", 1)[-1]
        return f"postgresql+psycopg://codejury@/{name}?host={self._folder}&port={self._port}"

    def drop_database(self, url: str) -> None:
        """Remove a database of ``create_database``; a thousand of them would fill the disk with gigabytes."""
        with psycopg.connect(f"{self._connection()} dbname=postgres", autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {url.rsplit('/', 1)[-1]} WITH (FORCE)")

    def go_down(self, by: signal.Signals = signal.SIGINT) -> None:
        """End the server but keep its files. SIGINT: in order; SIGQUIT: at once; SIGKILL: as by a crash."""
        self._server.end_by(by)

    def come_back(self) -> None:
        """Start it again at the same address, as a service manager does: until processes of old have let go."""
        for attempt in range(1, RESTARTS + 1):
            try:
                self._server = Server(self._command(), user=self._user, folder=self._folder, is_ready=self._is_ready)
                return
            except ServiceError:
                if attempt == RESTARTS:
                    raise
                time.sleep(0.5)

    def stop(self) -> None:
        """End the server and remove its files."""
        self._server.stop()
        self._remove()

    def _remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
