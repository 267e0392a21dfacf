"""Moves of the clock over a year of events, and the program stopped in the middle of one.

    python3 tests/attacks/clock_moves.py BINARY
"""

import http.client
import threading
import time

from standin import KEY, Server, Table, binary

SCENARIO = """standin: 1
clock: {{start: 2026-06-30T17:00:00Z, mode: frozen}}
keys: [{{key: demo-key, accounts: [100]}}]
businesses: [{{number: 100, name: Clock, locations: [{{number: 1001, name: One, reviews: [{{generate: {reviews}, dates: {{from: 2026-01-01, to: 2026-06-28}}}}]}}]}}]
webhooks: {{timeline: [{{every: {every}, event: message.added, business: 100, conversation: c}}]}}
"""


def scenario(every, reviews=100):
    return {"clock.yaml": SCENARIO.format(every=every, reviews=reviews)}


def move(server, span="8760h", world="default"):
    started = time.monotonic()
    status, answer = server.admin("POST", f"worlds/{world}/clock", {"advance": span})
    return time.monotonic() - started, status, answer


def cut_off(server):
    """A move that is not answered, because the program is stopped."""
    try:
        move(server)
    except (OSError, ValueError, http.client.HTTPException):
        pass


def beside(server, act):
    """What an action returns, and the p99 in milliseconds of small calls to another world beside it."""
    server.admin("PUT", "worlds/other")
    server.call("POST", "/w/other/v1/review/businessId/100?count=5", None, KEY)
    done, waits = threading.Event(), []

    def light():
        while not done.is_set():
            started = time.monotonic()
            server.call("POST", "/w/other/v1/review/businessId/100?count=5", None, KEY)
            waits.append((time.monotonic() - started) * 1000)

    thread = threading.Thread(target=light)
    thread.start()
    result = act()
    done.set()
    thread.join()
    waits.sort()
    return result, waits[len(waits) * 99 // 100]


table = Table()
with Server(binary(), scenario("1s")) as server:
    took, status, answer = move(server)
    table.row(
        "`advance: 8760h` over `every: 1s`", "400 with advice at once",
        f"{status} after {took * 1000:.0f} ms: {answer.get('error', answer)}", status == 400 and took < 1 and "smaller steps" in answer["error"],
    )
with Server(binary(), scenario("40s")) as server:
    subscription = {"businessNumber": 100, "apiKey": "demo-key", "events": ["message.added"], "endpoint": "http://127.0.0.1:9/"}
    server.call("POST", "/v1/messenger/subscribe/webhook/event", subscription, KEY)
    (took, status, answer), p99 = beside(server, lambda: move(server))
    table.row(
        "`advance: 8760h` over `every: 40s` (788,400 events), with a subscriber that refuses connections", "an answer within 10 s, with `pending`; p99 of others under 10 ms",
        f"{status} after {took:.1f} s, pending {answer.get('pending')}; p99 {p99:.1f} ms; at most {server.peak() >> 20} MiB", status == 200 and took < 11 and p99 < 10 and server.peak() >> 20 < 512,
    )
with Server(binary(), scenario("40s"), "--grace", "2") as server:
    subscription = {"businessNumber": 100, "apiKey": "demo-key", "events": ["message.added"], "endpoint": "http://127.0.0.1:9/"}
    server.call("POST", "/v1/messenger/subscribe/webhook/event", subscription, KEY)
    moving = threading.Thread(target=cut_off, args=(server,))
    moving.start()
    time.sleep(1)
    started = time.monotonic()
    code = server.stop()
    took = time.monotonic() - started
    moving.join()
    table.row("SIGTERM in the middle of such a move, `--grace 2`", "exit code 0 within 6 s", f"exit code {code} after {took:.1f} s", code == 0 and took < 6)
with Server(binary(), scenario("1h", 1_000_000)) as server:
    # The default world's dataset is built at the start; another seed has its own.
    server.admin("PUT", "worlds/large", {"seed": 77})
    (took, status, answer), p99 = beside(server, lambda: move(server, "24h", "large"))
    table.row(
        "a move whose first event needs a dataset of a million reviews that is not built", "p99 of others under 10 ms",
        f"{status} after {took:.1f} s; p99 {p99:.1f} ms", status == 200 and p99 < 10,
    )
table.end()
