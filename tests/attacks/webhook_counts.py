"""Dead deliveries are counted exactly, though most are dropped, and an upsert costs the same at the 6,000th event as at the first.

    python3 tests/attacks/webhook_counts.py BINARY
"""

import http.client
import json
import re
import time

from standin import KEY, Server, Table, binary

SCENARIO = """standin: 1
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: Hooks, locations: [{number: 1001, name: One}]}]
webhooks:
  timeline: [{after: contact, event: message.added, conversation: c}]
  retry: {attempts: 1}
"""
DELIVERIES, UPSERTS = 10_000, 12_000


def subscribe(server, events, endpoint):
    body = {"businessNumber": 100, "apiKey": "demo-key", "events": events, "endpoint": endpoint}
    assert server.call("POST", "/v1/messenger/subscribe/webhook/event", body, KEY)[0] == 200


def counted(server, name):
    return int((re.search(rf"^{name}_total (\d+)", server.call("GET", "/metrics")[2].decode(), re.M) or ["", "0"])[1])


def post(connection, path, body, headers):
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    answer.read()
    return answer.status


table = Table()
with Server(binary(), {"hooks.yaml": SCENARIO}) as server:
    subscribe(server, ["conversation.created"], "http://10.255.255.1/")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for number in range(DELIVERIES):
        post(connection, "/__admin/worlds/default/events", {"event": "conversation.created", "business": 100, "data": {"text": "x" * 3000}}, {})
    deadline, dead = time.monotonic() + 60, 0
    while dead < DELIVERIES and time.monotonic() < deadline:
        time.sleep(0.1)
        dead = counted(server, "standin_deliveries_dead")
    _, headers, _ = server.call("GET", "/__admin/worlds/default/deliveries?limit=1")
    kept, dropped = int(headers["x-total-count"]), int(headers["x-standin-dropped"])
    table.row(
        f"{DELIVERIES:,} deliveries of 3 KB to a target that is not allowed", "all are counted as dead, kept and dropped ones together",
        f"{dead:,} counted; {kept:,} kept and {dropped:,} dropped", dead == DELIVERIES == kept + dropped,
    )

for endpoint in (None, "http://127.0.0.1:9/"):
    with Server(binary(), {"hooks.yaml": SCENARIO}) as server:
        if endpoint:
            subscribe(server, ["message.added"], endpoint)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        waits = []
        for number in range(UPSERTS):
            started = time.perf_counter()
            post(connection, "/v1/contact/external/preferences/saveCustomer", {"email": f"c{number % 100}@mail.test", "businessIds": [1001]}, {**KEY, "x-business-number": "100"})
            waits.append((time.perf_counter() - started) * 1000)
        first, last = (sorted(part)[len(part) // 2] for part in (waits[100:1100], waits[-1000:]))
        table.row(
            f"{UPSERTS:,} upserts that add messages to one conversation, {'with' if endpoint else 'without'} a subscriber", "the last ones take less than three times as long as the first",
            f"median of the first thousand {first:.2f} ms, of the last thousand {last:.2f} ms; at most {server.peak() >> 20} MiB", last < 3 * first,
        )
table.end()
