"""A webhook receiver: it verifies signatures (Standard Webhooks), answers at once, and hands over each event once."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import queue
import threading
import time
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 5 * 60  # seconds that a timestamp may differ from the present


class Receiver:
    """Listens on a free port of this machine until it is closed. Work is done by whoever takes from `events`."""

    def __init__(self, secret: str | None):
        self.secret = base64.b64decode(secret.removeprefix("whsec_")) if secret else None
        self.events: queue.Queue[dict] = queue.Queue()
        self._seen: set[str] = set()  # A real receiver keeps the ids in its database, for some days.
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def receive(self, headers: Message, body: bytes) -> int:
        """Takes a delivery and returns the status to answer. Every event is accepted, also one of an unknown name."""
        if not self._is_signed(headers, body):
            return 401
        timestamp = headers.get("webhook-timestamp")
        if timestamp and not is_recent(timestamp):
            return 400
        try:
            event = json.loads(body)
            event_id = headers.get("webhook-id") or event["eventId"]
        except (ValueError, KeyError, TypeError):
            return 400
        with self._lock:
            is_new = event_id not in self._seen
            self._seen.add(event_id)
        if is_new:
            self.events.put(event)
        return 200

    def _is_signed(self, headers: Message, body: bytes) -> bool:
        if self.secret is None:
            return True
        signed = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.digest(self.secret, signed, hashlib.sha256)).decode()
        # There are several signatures while a secret is being replaced. The comparison takes the same time for all.
        sent = headers.get("webhook-signature", "").split()
        return any(hmac.compare_digest(expected.encode(), one.encode()) for one in sent)

    def _handler(receiver) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            timeout = 10
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                if len(body) < length:  # The sender broke off. It will send the event again.
                    self.close_connection = True
                    return
                self.send_response(receiver.receive(self.headers, body))
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """The job prints its own summary."""

        return Handler


def is_recent(timestamp: str) -> bool:
    try:
        return abs(time.time() - float(timestamp)) <= TOLERANCE
    except ValueError:
        return False
