"""A server, and worlds in it, over the admin API."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Literal, cast
from urllib.parse import quote, urlencode, urlsplit

from standin._binary import binary
from standin._error import StandinError
from standin._types import Call, Expectation, Fault, Seed

_Stored = Literal["contacts", "subscriptions", "deliveries", "reviews", "questions"]

#: How long an answer of the admin API may take, in seconds. A move of the clock takes up to 10, `verify` waits up to 60.
_TIMEOUT = 90


class Admin:
    """The admin API of a server."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._token = token

    def json(self, method: str, path: str, body: object = None) -> Any:
        text = self.text(method, path, None if body is None else json.dumps(body))
        return json.loads(text) if text else None

    def text(self, method: str, path: str, body: str | None = None) -> str:
        # Not urllib.request, which may send this to a proxy.
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        connection = kind(parts.hostname or "", parts.port, timeout=_TIMEOUT)
        try:
            connection.request(method, parts.path + path, None if body is None else body.encode(), headers)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise StandinError(f"no answer from {self.url}: {error}") from error
        finally:
            connection.close()
        if answer.status >= 400:
            raise _refused(answer.status, text)
        return text


def _refused(status: int, text: str) -> StandinError:
    """The error's text, and below it those of all findings."""
    try:
        body = json.loads(text)
    except ValueError:
        # A proxy may have answered.
        return StandinError(text.strip() or f"status {status}", status)
    if not isinstance(body, dict):
        body = {}
    findings = [finding["text"] for finding in body.get("diagnostics", [])]
    return StandinError("\n\n".join([body.get("error") or f"status {status}", *findings]), status)


def _query(**members: object) -> str:
    given = {name: value for name, value in members.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""


def _given(**members: object) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


class Verification(dict[str, Any]):
    """The answer to `verify`: `passed`, and `results` by expectation. It is true if all expectations hold."""

    @property
    def passed(self) -> bool:
        """Whether all expectations hold."""
        return bool(self["passed"])

    @property
    def results(self) -> list[dict[str, Any]]:
        """By expectation: `name`, `passed`, `message`, and `nearest` with the call that came nearest."""
        return cast("list[dict[str, Any]]", self["results"])

    def __bool__(self) -> bool:
        return self.passed


class Faults:
    """The faults of a world."""

    def __init__(self, admin: Admin, path: str) -> None:
        self._admin = admin
        self._path = f"{path}/faults"

    def list(self) -> list[dict[str, Any]]:
        """The faults in the order in which they are considered, with their `hitCount`."""
        return cast("list[dict[str, Any]]", self._admin.json("GET", self._path))

    def put(self, name: str, fault: Fault) -> dict[str, Any]:
        """Adds a fault in front of all others, or replaces the one of its name."""
        return cast("dict[str, Any]", self._admin.json("PUT", f"{self._path}/{quote(name, safe='')}", fault))

    def enable(self, name: str, enabled: bool = True) -> dict[str, Any]:
        """Turns a fault on or off."""
        answer = self._admin.json("PATCH", f"{self._path}/{quote(name, safe='')}", {"enabled": enabled})
        return cast("dict[str, Any]", answer)

    def remove(self, name: str) -> None:
        """Removes a fault."""
        self._admin.text("DELETE", f"{self._path}/{quote(name, safe='')}")


class World:
    """An isolated run of a scenario: its own data, clock, rate limits, faults and journal."""

    def __init__(self, admin: Admin, made: Mapping[str, Any]) -> None:
        self._admin = admin
        self._path = f"/worlds/{quote(made['name'], safe='')}"
        self.name: str = made["name"]
        #: The base URL by which a client reaches this world.
        self.base_url: str = made["baseUrl"]
        #: A key that leads to this world by any base URL of the server; it covers all accounts and has no rate limit.
        self.api_key: str = made["apiKey"]
        self.seed: int = made["seed"]
        self.faults = Faults(admin, self._path)

    @property
    def baggage(self) -> str:
        """The value of the header `baggage` by which a request that passes through an application reaches this world."""
        return f"standin.world={self.name}"

    def calls(
        self,
        *,
        operation: str | None = None,
        status: int | None = None,
        code: int | None = None,
        key: str | None = None,
        fault: str | None = None,
        after: int | None = None,
        limit: int = 10_000,
    ) -> list[Call]:
        """The calls of the world's clients, in order; of more than `limit`, the newest."""
        query = _query(operation=operation, status=status, code=code, key=key, fault=fault, after=after, limit=limit)
        return cast("list[Call]", self._get(f"/requests{query}"))

    def har(self) -> dict[str, Any]:
        """The calls as an HTTP archive."""
        return cast("dict[str, Any]", self._get("/requests.har?limit=10000"))

    def verify(self, expectations: Sequence[Expectation] = (), *, within: str | None = None) -> Verification:
        """Checks what is expected of the client, by default what the scenario expects. `within` waits for what is still to come."""
        path = f"{self._path}/verify{_query(within=within)}"
        return Verification(self._admin.json("POST", path, list(expectations)))

    def report(self) -> dict[str, Any]:
        """What the client did well and badly."""
        return cast("dict[str, Any]", self._get("/report"))

    def reset(self, *, seed: Seed | None = None) -> None:
        """Takes the world back to its start."""
        self.seed = self._admin.json("POST", f"{self._path}/reset", _given(seed=seed))["seed"]

    def clock(self) -> dict[str, Any]:
        """The world's clock."""
        return cast("dict[str, Any]", self._get("/clock"))

    def advance(self, duration: str) -> dict[str, Any]:
        """Moves the world's clock forward, by `61s` for example; what falls due happens before this returns."""
        return cast("dict[str, Any]", self._admin.json("POST", f"{self._path}/clock", {"advance": duration}))

    def emit(self, event: str, business: int, **members: object) -> dict[str, Any]:
        """Emits a webhook event."""
        body = {"event": event, "business": business, **members}
        return cast("dict[str, Any]", self._admin.json("POST", f"{self._path}/events", body))

    def stored(self, what: _Stored, *, business: int | None = None) -> list[dict[str, Any]]:
        """What the world holds, in the API's field names."""
        return cast("list[dict[str, Any]]", self._get(f"/{what}{_query(limit=10_000, business=business)}"))

    def remove(self) -> None:
        """Removes the world."""
        self._admin.text("DELETE", self._path)

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"World({self.name!r}, seed={self.seed})"

    def _get(self, rest: str) -> Any:
        return self._admin.json("GET", self._path + rest)


class Standin:
    """A server."""

    def __init__(self, base_url: str, admin: Admin, seed: Seed | None = None, process: subprocess.Popen[bytes] | None = None) -> None:
        #: The base URL of the default world, without a slash at its end.
        self.base_url = base_url
        #: The address of the admin API.
        self.admin_url = admin.url
        self._admin = admin
        self._seed = seed
        self._process = process

    def world(
        self,
        name: str | None = None,
        *,
        scenario: str | None = None,
        seed: Seed | None = None,
        faults: Iterable[Fault] | None = None,
        clock: Mapping[str, str] | None = None,
    ) -> World:
        """Makes a world. `scenario` is one that the server serves, or one of the program; the default is that of the server."""
        seed = self._seed if seed is None else seed
        named = None if faults is None else [{"name": f"fault-{place}", **fault} for place, fault in enumerate(faults, 1)]
        body = _given(name=name, scenario=scenario, seed=seed, faults=named, clock=clock)
        return World(self._admin, self._admin.json("POST", "/worlds", body))

    def scenarios(self) -> list[dict[str, Any]]:
        """The scenarios that are served."""
        return cast("list[dict[str, Any]]", self._admin.json("GET", "/scenarios"))

    def put_scenario(self, name: str, yaml: str) -> None:
        """Adds or replaces a scenario; the text is YAML, with paths relative to the server's root."""
        self._admin.text("PUT", f"/scenarios/{quote(name, safe='')}", yaml)

    def stop(self) -> None:
        """Stops the server, if `start` has started it. It stops with its process anyway."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin:
            process.stdin.close()
        # A process that was forked from this one may hold the pipe, too.
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> Standin:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


#: Variables that are flags of `standin serve`, which `start` sets itself.
_FLAGS = ("PORT", "HOST", "LOG", "QUIET", "DEFAULT", "ADMIN_TOKEN", "UNTIL_EOF", "GRACE", "BASE_URL", "ADMIN_URL")


def start(
    scenario: str | os.PathLike[str] | None = None,
    *,
    seed: Seed | None = None,
    port: int = 0,
    now: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
    flags: Sequence[str] = (),
) -> Standin:
    """Starts a server that ends with this process.

    `scenario` is a file or folder, else the name of a scenario in `scenarios/` or of the program. Raises StandinError with the
    loader's own text if it has an error.
    """
    env = {name: value for name, value in os.environ.items() if name not in {f"STANDIN_{flag}" for flag in _FLAGS}}
    command = [binary(), "serve", "--port", str(port), "--log", "json", "--quiet", "--until-eof", "--grace", "1"]
    command += ["--now", now] if now else []
    command += flags
    command += ["--", os.fspath(scenario)] if scenario is not None else []
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=cwd)
    except OSError as error:
        raise StandinError(f"cannot run {command[0]}: {error}") from error
    assert process.stdout and process.stderr
    errors = _Errors(process.stderr)
    first, lines = None, []
    for line in process.stdout:
        lines.append(line.decode("utf-8", "replace"))
        if b'"listening"' in line:
            first = json.loads(line)
            break
    if first is None:
        code = process.wait()
        text = (errors.text() + "".join(lines)).strip()
        raise StandinError(text or f"the server ended with exit code {code}")
    errors.forward()
    threading.Thread(target=_drain, args=(process.stdout,), daemon=True).start()
    base_url = first["baseUrl"].rstrip("/")
    admin = Admin(f"{base_url}/__admin")
    server = Standin(base_url, admin, seed, process)
    if seed is not None:
        try:
            admin.json("POST", "/worlds/default/reset", {"seed": seed})
        except StandinError:
            server.stop()
            raise
    return server


def _drain(stream: IO[bytes]) -> None:
    for _ in stream:
        pass


class _Errors:
    """What the server writes to standard error: kept until it listens, then passed on."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept: list[str] | None = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._stream:
            text = line.decode("utf-8", "replace")
            kept = self._kept
            if kept is None:
                sys.stderr.write(text)
            else:
                kept.append(text)

    def text(self) -> str:
        self._thread.join(5)
        return "".join(self._kept or [])

    def forward(self) -> None:
        self._kept = None


def connect(base_url: str | None = None, *, admin_url: str | None = None, admin_token: str | None = None, seed: Seed | None = None) -> Standin:
    """Connects to a server that runs already, by default the one of `standin run`."""
    own = os.environ.get("STANDIN_ADMIN_URL") if base_url is None else None
    base_url = (base_url or os.environ.get("STANDIN_BASE_URL", "")).rstrip("/")
    if not base_url:
        raise StandinError("there is no base URL: pass base_url, or run the command under `standin run`")
    parts = urlsplit(base_url)
    url = admin_url or own or f"{parts.scheme}://{parts.netloc}/__admin"
    admin = Admin(url, admin_token or os.environ.get("STANDIN_ADMIN_TOKEN"))
    admin.json("GET", "/health")
    return Standin(base_url, admin, seed)
