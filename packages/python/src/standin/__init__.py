"""Standin for tests: start a server, or connect to one, and make worlds in it."""

from standin._binary import binary
from standin._client import Faults, Standin, Verification, World, connect, start
from standin._error import StandinError
from standin._types import Call, ErrorCode, Expectation, Fault, Operation, Then, When

__all__ = [
    "Call",
    "ErrorCode",
    "Expectation",
    "Fault",
    "Faults",
    "Operation",
    "Standin",
    "StandinError",
    "Then",
    "Verification",
    "When",
    "World",
    "binary",
    "connect",
    "start",
]
