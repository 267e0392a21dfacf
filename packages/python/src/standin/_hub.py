"""The one server of a test session. Workers of pytest-xdist ask the process that started them for it."""

from __future__ import annotations

import os
import secrets
import threading
from multiprocessing.connection import Client, Listener
from typing import Any

from standin._client import Standin, connect, start
from standin._error import StandinError


class Hub:
    """Starts the server when it is first wanted, and sends it each scenario once."""

    def __init__(self, scenario: str | None, cwd: str) -> None:
        self._scenario = scenario
        self._cwd = cwd
        self._lock = threading.Lock()
        self._server: Standin | None = None
        self._sent: set[str] = set()
        self._listener: Listener | None = None

    def url(self) -> str:
        """The base URL of the server."""
        with self._lock:
            return self._get().base_url

    def put(self, name: str, text: str) -> None:
        """Serves a scenario, unless it was sent already; each text has a name of its own."""
        with self._lock:
            if name not in self._sent:
                self._get().put_scenario(name, text)
                self._sent.add(name)

    def _get(self) -> Standin:
        if self._server is None:
            # Under `standin run` there is a server.
            under_run = "STANDIN_BASE_URL" in os.environ
            self._server = connect() if under_run else start(self._scenario, cwd=self._cwd)
        return self._server

    def address(self) -> dict[str, Any]:
        """Where workers reach this hub. It listens on loopback from now on."""
        if self._listener is None:
            self._key = secrets.token_bytes(16)
            self._listener = Listener(("127.0.0.1", 0), authkey=self._key)
            threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        host, port = self._listener.address
        return {"host": host, "port": port, "key": self._key.hex()}

    def _accept(self, listener: Listener) -> None:
        while True:
            try:
                connection = listener.accept()
            except OSError:
                return
            except Exception:  # Somebody without the key, or who has left.
                continue
            with connection:
                try:
                    method, *arguments = connection.recv()
                    answer = None
                    if method == "url":
                        answer = self.url()
                    else:
                        self.put(*arguments)
                    connection.send(("fine", answer))
                except StandinError as error:
                    connection.send(("error", str(error), error.status))
                except (EOFError, OSError):
                    pass

    def stop(self) -> None:
        """Stops the server, if it was started here."""
        if self._listener is not None:
            self._listener.close()
        with self._lock:
            if self._server is not None:
                self._server.stop()


class RemoteHub:
    """The hub of the process that started this worker."""

    def __init__(self, address: dict[str, Any]) -> None:
        self._address = address

    def url(self) -> str:
        """The base URL of the server."""
        url = self._ask("url")
        assert isinstance(url, str)
        return url

    def put(self, name: str, text: str) -> None:
        """Serves a scenario, unless it was sent already."""
        self._ask("put", name, text)

    def _ask(self, *request: str) -> object:
        place = (self._address["host"], self._address["port"])
        with Client(place, authkey=bytes.fromhex(self._address["key"])) as connection:
            connection.send(request)
            kind, *answer = connection.recv()
        if kind == "error":
            raise StandinError(*answer)
        return answer[0]

    def stop(self) -> None:
        """The server is stopped by the process that started it."""
