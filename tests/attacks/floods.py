"""Floods of connections: ten thousand that are idle, more than the program has descriptors for, and thousands at the same moment."""

import resource
import selectors
import signal
import socket
import time

from standin import KEY, Server, Table, binary

REVIEWS = "/v1/review/businessId/100?count=1"
REQUEST = b"POST " + REVIEWS.encode() + b" HTTP/1.1\r\nhost: localhost\r\nx-api-key: demo-key\r\ncontent-length: 0\r\n\r\n"
SCENARIO = {"flood.yaml": """standin: 1
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: Flood, locations: [{number: 1001, name: One, reviews: [{id: "1", rating: 5, date: 2026-06-01, comments: Fine.}]}]}]
"""}


def calls(server, count):
    """Answers of 200 of that many calls on connections of their own, and the milliseconds of the slowest."""
    good, slowest = 0, 0
    for _ in range(count):
        started = time.monotonic()
        good += server.call("POST", REVIEWS, None, KEY)[0] == 200
        slowest = max(slowest, time.monotonic() - started)
    return good, slowest * 1000


def open_all(server, count, timeout=10):
    """Opens connections at the same time. Returns those that were established within that time."""
    selector, established = selectors.DefaultSelector(), []
    pending = []
    for _ in range(count):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", server.port))
        selector.register(connection, selectors.EVENT_WRITE)
        pending.append(connection)
    deadline = time.monotonic() + timeout
    while len(established) < count and time.monotonic() < deadline:
        for key, _ in selector.select(0.1):
            selector.unregister(key.fileobj)
            if key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                established.append(key.fileobj)
    for connection in pending:
        connection.settimeout(10)
    return established, pending


def close_all(connections):
    for connection in connections:
        connection.close()


def settle(server, descriptors, patience=20):
    """The number of descriptors after it had time to fall to that."""
    deadline = time.monotonic() + patience
    while (left := server.descriptors()) > descriptors and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def idle(table, count=10_000):
    with Server(binary(), SCENARIO) as server:
        calls(server, 10)
        time.sleep(0.5)
        descriptors, before = server.descriptors(), server.resident()
        connections = []
        for _ in range(count // 500):
            opened, _ = open_all(server, 500)
            for connection in opened:
                connection.settimeout(10)
                connection.sendall(REQUEST)
            # A connection without a first call would be closed after a few seconds.
            connections += [connection for connection in opened if connection.recv(65536).startswith(b"HTTP/1.1 200")]
        held = server.resident() - before
        cpu, started = server.cpu(), time.monotonic()
        time.sleep(3)
        share = (server.cpu() - cpu) / (time.monotonic() - started) * 100
        good, slowest = calls(server, 300)
        open_then = server.descriptors() - descriptors
        close_all(connections)
        left = settle(server, descriptors)
        table.row(
            f"{count:,} idle connections, after one call each", "all stay open, other calls are answered within 100 ms, no processor time, all descriptors are given back",
            f"{open_then:,} open, {held / 1024 / max(1, len(connections)):.1f} KiB each, 300 calls meanwhile: {good} answered, slowest {slowest:.0f} ms; {share:.1f} % of a core; descriptors {descriptors}, afterwards {left}",
            open_then >= count and good == 300 and slowest < 100 and share < 5 and left <= descriptors and not server.panics(),
        )


def descriptors_exhausted(table):
    with Server(binary(), SCENARIO, limits=[(resource.RLIMIT_NOFILE, 256)]) as server:
        kept = server.connect()
        kept.sendall(REQUEST)
        kept.recv(65536)
        time.sleep(0.5)
        descriptors = server.descriptors()
        flood, _ = open_all(server, 600)
        time.sleep(1)
        most = server.descriptors()
        cpu, started = server.cpu(), time.monotonic()
        answered = 0
        for _ in range(30):
            kept.sendall(REQUEST)
            answered += kept.recv(65536).startswith(b"HTTP/1.1 200")
            time.sleep(0.1)
        share = (server.cpu() - cpu) / (time.monotonic() - started) * 100
        started = time.monotonic()
        close_all(flood)
        good, _ = calls(server, 1)
        recovered = time.monotonic() - started
        kept.close()
        left = settle(server, descriptors)
        table.row(
            f"600 connections with `ulimit -n 256` ({most} descriptors in use)", "those that are open are answered, no core spins, and it recovers within 2 s after they have left",
            f"30 calls on an open connection: {answered} answered; {share:.1f} % of a core; recovered after {recovered * 1000:.0f} ms; descriptors {descriptors}, afterwards {left}",
            answered == 30 and share < 20 and good == 1 and recovered < 2 and left <= descriptors and not server.panics(),
        )


def at_once(table, count=3_000):
    with Server(binary(), SCENARIO) as server:
        calls(server, 10)
        server.process.send_signal(signal.SIGSTOP)
        started = time.monotonic()
        established, pending = open_all(server, count, timeout=3)
        took = time.monotonic() - started
        for connection in established:
            connection.sendall(REQUEST)
        server.process.send_signal(signal.SIGCONT)
        answered = 0
        for connection in established:
            try:
                answered += connection.recv(65536).startswith(b"HTTP/1.1 200")
            except OSError:
                pass
        close_all(pending)
        table.row(
            f"{count:,} connections, each with a call, while the program is suspended", "none waits for a repeated SYN (queue of 4,096), all are answered when it goes on",
            f"{len(established):,} connected within {took * 1000:.0f} ms, {answered:,} answered", answered == count and not server.panics(),
        )


def few_descriptors(table):
    """Starts with so few descriptors that it cannot work."""
    server = Server(binary(), SCENARIO, limits=[(resource.RLIMIT_NOFILE, 20)], ready=False)
    deadline = time.monotonic() + 5
    while server.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    code = server.process.poll()
    server.stop()
    said = " ".join(line for line in server.last_log.splitlines() if "listening" not in line)
    table.row(
        "`ulimit -n 20`", "it ends with exit code 3 and says what to do",
        f"exit code {code}: {said[:200]}" if code is not None else f"goes on: {said[:200]}", code == 3 and bool(said) and "panicked" not in said,
    )


table = Table()
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
for attack in (idle, descriptors_exhausted, at_once, few_descriptors):
    attack(table)
table.end()
