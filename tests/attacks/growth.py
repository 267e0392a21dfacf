"""Admin calls that leave something large behind, again and again: scenarios, faults, worlds with faults or with seeds, names of faults."""

import http.client
import json
import threading
import time

from standin import KEY, Server, Table, binary, examples

SMALL = """standin: 1
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: Growth, locations: [{number: 1001, name: One}]}]
"""
REVIEWS = "".join(f'{{id: "{number}", rating: 5, date: 2026-06-01, comments: {"x" * 850}}}, ' for number in range(1, 1000))
LARGE = SMALL.replace("name: One}", f"name: One, reviews: [{REVIEWS}]}}")
FAULT = {"hits": 1, "then": {"status": 503, "text": "x" * 900_000}}
# The largest dataset that is not counted as large.
GENERATED = SMALL.replace("name: One}", "name: One, reviews: [{generate: 99000, dates: {from: 2026-01-01, to: 2026-06-28}}]}")
PATH = "/v1/review/businessId/100?count=1"


def scenarios(call, number):
    status = call("PUT", f"/__admin/scenarios/put-{number}", LARGE)
    call("POST", f"/w/put-{number}{PATH}", "")
    return status


def faults(call, number):
    return call("PUT", f"/__admin/worlds/small/faults/f{number}", json.dumps(FAULT))


def worlds_with_faults(call, number):
    return call("POST", "/__admin/worlds", json.dumps({"name": f"w{number}", "faults": [dict(FAULT, name="f")]}))


def seeds(call, number):
    status = call("POST", "/__admin/worlds", json.dumps({"name": f"w{number}", "scenario": "generated", "seed": number + 1}))
    call("POST", f"/w/w{number}{PATH}", "")
    return status


def fault_names(call, number):
    """A fault that applies once under a long name, and is deleted."""
    name = f"/__admin/worlds/small/faults/{number}-{'n' * 3000}"
    status = call("PUT", name, json.dumps({"then": {"error": 89}}))
    call("POST", "/w/small" + PATH, "")
    call("DELETE", name, None)
    return status


def attack(table, action, count, what):
    with Server(binary(), {"small.yaml": SMALL, "generated.yaml": GENERATED}) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

        def call(method, path, body):
            connection.request(method, path, body, KEY if path.startswith(("/v1", "/w/")) else {})
            answer = connection.getresponse()
            text = answer.read()
            if path.startswith("/__admin") and answer.status in (413, 429):
                refusals.append(text.decode(errors="replace"))
            return answer.status

        waits, refusals, done, refused, limit = [], [], threading.Event(), 0, 120

        def beside():
            while not done.wait(0.05):
                started = time.monotonic()
                server.call("POST", "/w/small" + PATH, None, KEY)
                waits.append(time.monotonic() - started)

        other = threading.Thread(target=beside)
        other.start()
        started = time.monotonic()
        for number in range(count):
            refused += action(call, number) in (413, 429)
            if time.monotonic() - started > limit:
                break
        took = time.monotonic() - started
        done.set()
        other.join()
        metrics = len(server.call("GET", "/metrics")[2])
        resident, peak = server.resident() >> 20, server.peak() >> 20
        waits.sort()
        p99 = waits[len(waits) * 99 // 100] * 1000
        table.row(
            f"{number + 1:,} {what}", "under 512 MiB, a refusal says what to do, `/metrics` under 1 MiB, others' p99 under 50 ms",
            f"{resident} MiB (at most {peak}), {refused:,} refused{examples(refusals[:1])}; {took:.0f} s; metrics {metrics / 1024:,.0f} KiB; p99 of others {p99:.1f} ms",
            peak < 512 and metrics < 1 << 20 and p99 < 50 and number + 1 == count and server.alive() and not server.panics(),
        )


table = Table()
attack(table, scenarios, 600, "scenarios of 900 KB by `PUT`, each used once")
attack(table, faults, 400, "faults of 900 KB in one world")
attack(table, worlds_with_faults, 400, "worlds, each with a fault of 900 KB")
attack(table, seeds, 200, "worlds of 99,000 generated reviews, each with a seed of its own")
attack(table, fault_names, 5_000, "faults under names of 3 KB, each applied once and deleted")
table.end()
