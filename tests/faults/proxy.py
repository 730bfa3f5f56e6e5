"""A network that breaks: a proxy on a port of its own that lets so many bytes through, and then cuts."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class CuttingProxy:
    """Passes one connection after the other on to a server; each is cut after ``request`` or ``answer`` bytes."""

    def __init__(self, to: int) -> None:
        self.to = to
        self.request: int | None = None  # None: all of it
        self.answer: int | None = None
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:  # closed: the test is over
                return
            with client, socket.create_connection(("127.0.0.1", self.to)) as server:
                whole = _pass(client, server, self.request, until_idle=True)
                if whole:
                    server.recv(1, socket.MSG_PEEK)  # its answer begins: what it had to do is done
                    _pass(server, client, self.answer, until_idle=False)

    def close(self) -> None:
        """Take no more connections."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()


def _pass(source: socket.socket, to: socket.socket, most: int | None, *, until_idle: bool) -> bool:
    """Whether all of it went through. A request is over when its sender waits, an answer when the server closes."""
    left = most
    source.settimeout(0.2 if until_idle else 20)
    while left is None or left > 0:
        try:
            data = source.recv(65536 if left is None else min(left, 65536))
        except TimeoutError:
            return True
        except OSError:
            return False
        if not data:
            return True
        to.sendall(data)
        left = None if left is None else left - len(data)
    return False


@contextmanager
def cutting_proxy(to: int) -> Iterator[CuttingProxy]:
    """The proxy, closed at the end."""
    proxy = CuttingProxy(to)
    try:
        yield proxy
    finally:
        proxy.close()
