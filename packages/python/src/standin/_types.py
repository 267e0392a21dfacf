"""What scenarios and the journal are made of, as the admin API has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Union

#: An operation of the simulated API. A route of the scenario is `route:NAME`.
Operation = Literal["sentiment-locations", "sentiment-benchmark", "contact", "reviews", "qna", "subscribe"]

#: A code of the simulated API's errors.
ErrorCode = Literal[
    89, 404, 405, 413, 415, 500, 1011, 1027, 1161, 1163, 1164, 1167, 1186, 1187, 1227, 1228, 1532, 2003, 2151, 2466, 5008, 5043, 20099
]

Seed = Union[int, Literal["random"]]


class When(TypedDict, total=False):
    """Condition on a request. All members must match; of a list of values, one must match."""

    key: str | Sequence[str]
    business: int | Sequence[int]
    fingerprint: str | Sequence[str]
    header: Mapping[str, Any]
    query: Mapping[str, Any]
    #: JSON Pointers into the body and the values there.
    body: Mapping[str, Any]


#: Effect of a fault: one of `error`, `status`, `connection`, `body` and `lost`; `delay` and `headers` go with any or stand alone.
Then = TypedDict(
    "Then",
    {
        "error": Union[ErrorCode, Mapping[str, Any]],
        "retry_after": str,
        "status": int,
        "json": Any,
        "text": str,
        "connection": Literal["reset", "close", "stall", "garbage"],
        "for": str,
        "body": Any,
        "lost": Literal["reset"],
        "delay": Union[str, Mapping[str, str]],
        "headers": Any,
    },
    total=False,
)


class Fault(TypedDict, total=False):
    """A fault, as in a scenario file."""

    name: str
    operation: Operation | str | Sequence[Operation | str]
    when: When
    per: Literal["world", "key", "request"]
    #: Which of the counted requests: 3, "1-2", "4-", "every 5". Default: all.
    hits: int | str | Sequence[int | str]
    chance: float | str
    exactly: str
    during: str
    enabled: bool
    on_request: bool
    then: Then


#: What is expected of the client, as in a scenario's `expect`.
Expectation = Mapping[str, Any]

#: An entry of the request journal.
Call = dict[str, Any]
