"""Fixtures for pytest: one server for the session, also under pytest-xdist, and a world per test."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from standin._client import Standin, World, connect
from standin._error import StandinError
from standin._hub import Hub, RemoteHub

_HUB = pytest.StashKey["Hub | RemoteHub"]()

#: Most calls that the report of a failing test shows.
_SHOWN = 50

#: The line of a scenario's name, with the name where it is one. What stands deeper is indented.
_NAME = re.compile(r"""^(?:name|"name"|'name')[ \t]*:[ \t]+(["']?)([A-Za-z0-9][A-Za-z0-9._-]*)?[^\r\n]*""", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("standin_scenario", "scenario of the server: a file or folder, or a name; default: STANDIN_SCENARIO, else as `standin serve`")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "standin(scenario=..., faults=[...], seed=...): what the world of this test starts with; the scenario is a file or a name",
    )
    address = getattr(config, "workerinput", {}).get("standin")
    scenario = config.getini("standin_scenario") or os.environ.get("STANDIN_SCENARIO") or None
    config.stash[_HUB] = RemoteHub(address) if address else Hub(scenario, str(config.rootpath))


def pytest_unconfigure(config: pytest.Config) -> None:
    hub = config.stash.get(_HUB, None)
    if hub is not None:
        hub.stop()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker of pytest-xdist where the server is to be had."""
    hub = node.config.stash[_HUB]
    assert isinstance(hub, Hub)
    node.workerinput["standin"] = hub.address()


@pytest.fixture(scope="session")
def standin(pytestconfig: pytest.Config) -> Standin:
    """The server: that of `standin run` if there is one, else one that is started for the session."""
    url = pytestconfig.stash[_HUB].url()
    return connect() if "STANDIN_BASE_URL" in os.environ else connect(url)


@pytest.fixture
def world(standin: Standin, request: pytest.FixtureRequest) -> Iterator[World]:
    """The world of this test. If the test fails, its report shows the calls of the world."""
    wanted: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("standin"))):
        if marker.args or not marker.kwargs.keys() <= {"scenario", "faults", "seed", "clock"}:
            raise pytest.UsageError("the marker `standin` takes scenario=, faults=, seed= and clock=")
        wanted.update(marker.kwargs)
    scenario = wanted.pop("scenario", None)
    if scenario is not None:
        wanted["scenario"] = _served(standin, os.fspath(scenario), request)
    made = standin.world(_name(request.node.name), **wanted)
    yield made
    made.remove()


def _name(test: str) -> str:
    """A world's name that says which test it belongs to, and that no other test has."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", test)[:40].strip("-") or "test"
    return f"{words}-{secrets.token_hex(5)}"


def _served(standin: Standin, scenario: str, request: pytest.FixtureRequest) -> str:
    """The name under which the server serves a scenario: a file, the text of one, or a name that it may know already."""
    if "\n" in scenario:
        return _send(scenario, "test", request)
    folders = [request.path.parent, request.config.rootpath, Path.cwd()]
    file = next((folder / scenario for folder in folders if (folder / scenario).is_file()), None)
    if file is None:
        return scenario
    file = file.resolve()
    for served in standin.scenarios():
        if served["file"] and (request.config.rootpath / served["file"]).resolve() == file:
            return str(served["name"])
    return _send(file.read_text(encoding="utf-8"), file.stem, request)


def _send(text: str, stem: str, request: pytest.FixtureRequest) -> str:
    """Sends a text under a name that no other text has, so that it replaces no scenario of another test or of the server."""
    text = text.lstrip("\ufeff")
    found = _NAME.search(text)
    words = re.sub(r"[^A-Za-z0-9._-]+", "-", (found and found[2]) or stem)[:40].strip("-._") or "test"
    name = f"{words}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    request.config.stash[_HUB].put(name, _renamed(text, name))
    return name


def _renamed(text: str, name: str) -> str:
    """The text with another name, if it has one: the server refuses a scenario that is sent under another name than its own."""
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except ValueError:
            return text
        return json.dumps({**content, "name": name}, ensure_ascii=False)
    return _NAME.sub(f"name: {name}", text, count=1)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    outcome = yield
    report = outcome.get_result()
    world = getattr(item, "funcargs", {}).get("world")
    if report.when == "call" and report.failed and isinstance(world, World):
        try:
            text = _lines(world)
        except StandinError as error:
            text = str(error)
        report.sections.append((f"Standin: calls of {world.name}", text))


def _lines(world: World) -> str:
    lines = []
    for call in world.calls(limit=_SHOWN):
        code = "" if call["code"] is None else f" code {call['code']}"
        answer = "no answer" if call["status"] is None else f"{call['status']}{code}"
        lines.append(f"{call['seq']:4}  {call['method']} {call['path']}  {answer}")
        remarks = [f"fault {call['fault']}"] if call["fault"] else []
        lines += [f"      {remark}" for remark in remarks + list(call["notes"])]
    return "\n".join(lines) or "no calls"
