"""Thousands of clients that watch one world's stream and read nothing of it."""

import resource
import socket
import threading
import time

from standin import KEY, Server, Table, binary

SCENARIO = {"watched.yaml": """standin: 1
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: Watched, locations: [{number: 1001, name: One, reviews: [{generate: 100, dates: {from: 2026-01-01, to: 2026-06-28}}]}]}]
"""}
WATCHERS, CALLS = 9_000, 150


def watch(server):
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall(b"GET /__admin/worlds/watched/stream HTTP/1.1\r\nhost: localhost\r\n\r\n")
    return connection


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
table = Table()
with Server(binary(), SCENARIO) as server:
    server.admin("POST", "worlds", {"name": "other"})
    time.sleep(0.5)
    descriptors, done, waits = server.descriptors(), threading.Event(), []
    watchers = [watch(server) for _ in range(WATCHERS)]

    def beside():
        """Calls to a world that nobody watches."""
        while not done.wait(0.02):
            started = time.monotonic()
            server.call("POST", "/w/other/v1/review/businessId/100?count=1", None, KEY)
            waits.append(time.monotonic() - started)

    other = threading.Thread(target=beside)
    other.start()
    started = time.monotonic()
    answered = sum(server.call("POST", "/v1/review/businessId/100?count=100", None, KEY)[0] == 200 for _ in range(CALLS))
    took = time.monotonic() - started
    done.set()
    other.join()
    peak = server.peak() >> 20
    for watcher in watchers:
        watcher.close()
    server.call("POST", "/v1/review/businessId/100?count=1", None, KEY)
    deadline = time.monotonic() + 20
    while (left := server.descriptors()) > descriptors and time.monotonic() < deadline:
        time.sleep(0.1)
    waits.sort()
    table.row(
        f"{WATCHERS:,} watchers of one world who read nothing, and {CALLS} pages of 78 KB there", "under 512 MiB, other worlds are answered within 1 s, all descriptors are given back",
        f"at most {peak} MiB; {answered} of {CALLS} answered in {took:.1f} s; other worlds: p99 {waits[len(waits) * 99 // 100] * 1000:.0f} ms, slowest {waits[-1] * 1000:.0f} ms; descriptors {descriptors}, afterwards {left}",
        peak < 512 and answered == CALLS and waits[-1] < 1 and left <= descriptors and not server.panics(),
    )
table.end()
