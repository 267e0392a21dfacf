"""What goes wrong."""

from __future__ import annotations


class StandinError(Exception):
    """An answer of Standin that is an error, or a server that does not start. Its text is Standin's own."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        #: The HTTP status; None where the server did not start.
        self.status = status
