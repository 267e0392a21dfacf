"""Clients that write without end: large contacts, many small tags, long endpoints, subscriptions, reviews, in one world and in many.

    python3 tests/attacks/written.py BINARY
"""

import http.client
import json
import time

from standin import KEY, Server, Table, binary

SCENARIO = {"written.yaml": """standin: 1
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: Written, locations: [{number: 1001, name: One}]}]
"""}
CONTACT = "v1/contact/external/preferences/saveCustomer"
SUBSCRIBE = "v1/messenger/subscribe/webhook/event"
ACCOUNT = {**KEY, "x-business-number": "100"}


def contact(world, number, member, value):
    body = {"email": f"c{number}@mail.test", "businessIds": [1001], member: value}
    return "POST", f"/w/{world}/{CONTACT}", body, ACCOUNT


def subscription(world, number, endpoint):
    body = {"businessNumber": 100, "apiKey": "demo-key", "events": ["message.added"], "endpoint": f"http://127.0.0.1:9/{number}{endpoint}"}
    return "POST", f"/w/{world}/{SUBSCRIBE}", body, KEY


def review(world, number):
    body = {"businessId": 1001, "rating": 5, "date": "2026-06-01", "source": "google", "comments": f"{number} " + "x" * 900_000}
    return "POST", f"/__admin/worlds/{world}/reviews", body, {}


def attack(table, what, count, call, worlds=1):
    with Server(binary(), SCENARIO) as server:
        names = [f"w{number}" for number in range(worlds)]
        for name in names:
            server.admin("PUT", f"worlds/{name}")
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        statuses, refusal = {}, ""
        started = time.monotonic()
        for number in range(count):
            method, path, body, headers = call(names[number % worlds], number)
            connection.request(method, path, json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            statuses[answer.status] = statuses.get(answer.status, 0) + 1
            if answer.status == 413:
                refusal = answer.getheader("x-standin-detail") or text
        took = time.monotonic() - started
        peak = server.peak() >> 20
        # A reset makes room.
        for name in names:
            server.admin("POST", f"worlds/{name}/reset")
        method, path, body, headers = call(names[0], count)
        again = server.call(method, path, body, headers)[0]
        expected = {200, 201, 413}
        ok = peak < 512 and set(statuses) <= expected and again in (200, 201) and server.alive() and not server.panics()
        table.row(
            f"{count:,} {what}", "under 512 MiB; a refusal is 413 and says which limit it is; a reset makes room",
            f"at most {peak} MiB, {server.resident() >> 20} MiB after a reset; {statuses}; {took:.0f} s; {refusal[:160]}", ok,
        )


table = Table()
attack(table, "contacts of 900 KB in one world", 1_000, lambda world, number: contact(world, number, "firstName", "x" * 900_000))
attack(table, "contacts of 900 KB in 20 worlds", 1_000, lambda world, number: contact(world, number, "firstName", "x" * 900_000), 20)
attack(table, "contacts of 200,000 tags of a letter in 20 worlds", 200, lambda world, number: contact(world, number, "tags", ["x"] * 200_000), 20)
attack(table, "ordinary contacts in 5 worlds", 200_000, lambda world, number: contact(world, number, "phone", f"+1 212 555 {number:07}"), 5)
attack(table, "subscriptions with an endpoint of 900 KB in 20 worlds", 1_000, lambda world, number: subscription(world, number, "x" * 900_000), 20)
attack(table, "subscriptions in one world", 3_000, lambda world, number: subscription(world, number, ""))
attack(table, "added reviews of 900 KB in 20 worlds", 1_000, review, 20)
table.end()
