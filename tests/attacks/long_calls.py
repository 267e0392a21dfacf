"""Calls that take long, and others beside them: pages of 100,000 reviews, searches, admin lists, exports, resets, deletions, clock moves, with a
million reviews and 100,000 worlds.

    python3 tests/attacks/long_calls.py BINARY
"""

import http.client
import json
import threading
import time

from standin import KEY, Server, Table, binary

SCENARIO = {"big.yaml": """standin: 1
clock: {start: 2026-06-30T17:00:00Z, mode: frozen}
keys: [{key: demo-key, accounts: [100, 200]}]
businesses:
  - {number: 100, name: Small, locations: [{number: 1001, name: One}]}
  - number: 200
    name: Big
    locations: [{number: 2001, name: Two, reviews: [{generate: 1000000, dates: {from: 2020-01-01, to: 2026-06-28}}], questions: [{generate: 20000, dates: {from: 2020-01-01, to: 2026-06-28}}]}]
    contacts: [{generate: 100000}]
webhooks: {timeline: [{every: 40s, event: message.added, business: 200, conversation: c}]}
"""}
CONTACT = "v1/contact/external/preferences/saveCustomer"
PROMISED = 10


LIGHT = """standin: 1
keys: [{key: demo-key}]
businesses: [{number: 100, name: Small, locations: [{number: 1001, name: One, reviews: [{generate: 100, dates: {from: 2026-01-01, to: 2026-06-28}}]}]}]
"""


def light(server, done, waits):
    """Small calls, one after the other on one connection, until the end. Each is timed."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    while not done.is_set():
        started = time.perf_counter()
        connection.request("POST", "/w/light/v1/review/businessId/100?count=5", "{}", KEY)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read()
        waits.append((time.perf_counter() - started) * 1000)
        time.sleep(0.001)
    connection.close()


def beside(table, server, what, heavy, least=2.0, connections=2):
    """Repeats a heavy call for at least that many seconds, on some connections at once, beside four connections of small calls."""
    waits, done, results = [], threading.Event(), []
    lights = [threading.Thread(target=light, args=(server, done, waits)) for _ in range(4)]
    for thread in lights:
        thread.start()
    deadline = time.monotonic() + least

    def repeat():
        while True:
            started = time.monotonic()
            status, length = heavy()
            results.append((time.monotonic() - started, status, length))
            if time.monotonic() > deadline:
                return

    heavies = [threading.Thread(target=repeat) for _ in range(connections)]
    for thread in heavies:
        thread.start()
    for thread in heavies:
        thread.join()
    done.set()
    for thread in lights:
        thread.join()
    waits.sort()
    p99 = waits[len(waits) * 99 // 100]
    statuses = sorted({status for _, status, _ in results})
    slowest, length = max(took for took, _, _ in results), max(length for _, _, length in results)
    table.row(
        what, f"p99 of small calls beside it under {PROMISED} ms",
        f"p99 {p99:.1f} ms, slowest {waits[-1]:.1f} ms of {len(waits):,}; {len(results)} such calls, the slowest {slowest * 1000:.0f} ms, {length / 2**20:.1f} MiB, {statuses}; at most {server.peak() >> 20} MiB",
        p99 < PROMISED and all(status in (200, 201, 204) for status in statuses) and server.alive() and not server.panics(),
    )


def fetch(server, method, path, body=None, headers=None):
    """The status and length of an answer, which is not kept."""
    def call():
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        connection.request(method, path, body if body is None or isinstance(body, str) else json.dumps(body), headers or {})
        answer = connection.getresponse()
        length = 0
        while chunk := answer.read(1 << 20):
            length += len(chunk)
        connection.close()
        return answer.status, length
    return call


def fill(server, world):
    """Contacts, entries of the journal and deliveries up to the bounds of a world."""
    server.admin("PUT", f"worlds/{world}")
    body = {"businessNumber": 200, "apiKey": "demo-key", "events": ["message.added"], "endpoint": "http://127.0.0.1:9/x"}
    server.call("POST", f"/w/{world}/v1/messenger/subscribe/webhook/event", body, KEY)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def call(path, body, headers):
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    number, status = 0, 200
    while status == 200 and number < 30_000:
        contact = {"email": f"c{number}@mail.test", "businessIds": [2001], "tags": ["x" * 1500]}
        status = call(f"/w/{world}/{CONTACT}", contact, {**KEY, "x-business-number": "200"})
        number += 1
    for number in range(3_000):
        call(f"/__admin/worlds/{world}/events", {"event": "message.added", "business": 200, "conversation": f"c{number % 50}", "text": "t" * 500}, {})


def main():
    table = Table()
    with Server(binary(), {**SCENARIO, "light.yaml": LIGHT}, "--default", "big", "--idle", "never") as server:
        server.call("POST", "/v1/review/businessId/200?count=1", None, KEY)
        server.call("POST", "/w/light/v1/review/businessId/100?count=5", None, KEY)
        beside(table, server, "nothing, to compare", lambda: (time.sleep(1), (200, 0))[1])
        page = fetch(server, "POST", "/v1/review/businessId/200?count=100000", None, KEY)
        beside(table, server, "pages of 100,000 reviews", page)
        search = {**KEY, "content-type": "application/json"}
        beside(table, server, "a text search without a match over a million reviews", fetch(server, "POST", "/v1/review/businessId/200", {"searchStr": "no such words"}, search))
        beside(table, server, "pages of 20,000 questions", fetch(server, "POST", "/v1/qna/unanswered/get?businessId=200", {"pageSize": 20000}, KEY))
        review = {"businessId": 2001, "rating": 5, "date": "2026-06-01", "source": "google", "comments": "c"}
        beside(table, server, "reviews added to an account of a million, the first one included", fetch(server, "POST", "/__admin/worlds/default/reviews", review))
        for what in ("reviews", "questions", "contacts"):
            beside(table, server, f"admin lists of 10,000 {what}", fetch(server, "GET", f"/__admin/worlds/default/{what}?limit=10000"))
        fill(server, "full")
        for what in ("requests?limit=10000", "requests.har?limit=10000", "contacts?limit=10000", "deliveries?limit=10000"):
            beside(table, server, f"`{what}` of a full world", fetch(server, "GET", f"/__admin/worlds/full/{what}"))
        beside(table, server, "reset of a full world", fetch(server, "POST", "/__admin/worlds/full/reset"), 0.2)
        full = [f"full{number}" for number in range(2, 8)]
        for name in full:
            fill(server, name)

        def remove():
            if full:
                return fetch(server, "DELETE", f"/__admin/worlds/{full.pop()}")()
            # Two seconds have calls enough beside the removals.
            time.sleep(0.1)
            return 204, 0

        beside(table, server, f"removal of {len(full)} full worlds, then nothing, for 2 s", remove)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        while True:
            connection.request("POST", "/__admin/worlds", "{}")
            answer = connection.getresponse()
            answer.read()
            if answer.status != 201:
                break
        beside(table, server, "admin lists of 10,000 of 100,000 worlds", fetch(server, "GET", "/__admin/worlds?limit=10000&offset=90000"))
        beside(table, server, "`/metrics` with 100,000 worlds", fetch(server, "GET", "/metrics"))
        beside(table, server, "worlds made and removed beside 99,999 others", lambda: (fetch(server, "DELETE", "/__admin/worlds/world-1")(), fetch(server, "PUT", "/__admin/worlds/world-1")())[1])
        saved = SCENARIO["big.yaml"].replace("name: Small", "name: Little")
        beside(table, server, "a reload with 100,000 worlds", lambda: (server.write("big.yaml", saved), time.sleep(3), (200, 0))[2], 0, 1)
    table.end()


main()
