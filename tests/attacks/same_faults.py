"""Whether 200 clients at the same time see the same faults as one client alone."""

import collections
import concurrent.futures
import hashlib
import random

from standin import Server, Table, binary

SCENARIO = {"faults.yaml": """standin: 1
seed: 7
clock: {start: 2026-06-30T17:00:00Z, mode: frozen}
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: One, locations: [{number: 1001, name: One, reviews: [{generate: 1200, dates: {from: 2026-01-01, to: 2026-06-28}}]}]}]
faults:
  - {name: first, per: request, hits: 1, chance: 30%, then: {error: 89, retry_after: 1s}}
  - {name: second, per: request, hits: 2-3, chance: 40%, then: {status: 503, text: busy}}
  - {name: broken, per: request, chance: 10%, then: {connection: reset}}
  - {name: closed, per: request, chance: 10%, then: {connection: close}}
  - {name: cut, per: request, chance: 10%, then: {body: {truncate: 50%}}}
  - {name: malformed, per: request, chance: 10%, then: {body: {malformed: true}}}
  - {name: late, per: request, chance: 20%, then: {delay: 1ms-40ms}}
  - {name: drip, per: request, chance: 5%, then: {body: {drip: 512 per 1ms}}}
  - {name: every-third, per: request, hits: every 3, then: {error: 500}}
"""}
REQUESTS, TRIES, CLIENTS = 1_000, 5, 200


def outcome(server, world, number):
    """What a client sees of one call: the bytes without the date, in a few letters."""
    request = f"POST /w/{world}/v1/review/businessId/100?sindex={number}&count=2 HTTP/1.1\r\nhost: localhost\r\nx-api-key: demo-key\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    answer = server.raw(request.encode())
    head, _, body = answer.partition(b"\r\n\r\n")
    head = sorted(line for line in head.split(b"\r\n") if not line.lower().startswith(b"date:"))
    return number, head[0][:12] if head else b"", len(answer), hashlib.sha256(b"\n".join(head) + body).hexdigest()


def run(server, world, clients, order):
    server.admin("PUT", f"worlds/{world}", {"seed": 7})
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        return collections.Counter(pool.map(lambda number: outcome(server, world, number), order))


table = Table()
with Server(binary(), SCENARIO, "--workers", "4") as server:
    calls = list(range(REQUESTS)) * TRIES
    alone = run(server, "alone", 1, calls)
    differences = []
    for attempt in range(3):
        random.Random(attempt).shuffle(calls)
        together = run(server, f"together-{attempt}", CLIENTS, calls)
        differences.append(sum(((alone - together) + (together - alone)).values()))
    failed = sum(count for (_, _, size, _), count in alone.items() if size == 0)
    table.row(
        f"{CLIENTS} clients send {REQUESTS:,} requests {TRIES} times each in random order, three times; nine faults `per: request`",
        "the same outcomes, byte by byte, as one client alone",
        f"{len(alone):,} different outcomes of {sum(alone.values()):,} calls alone ({failed} without an answer); {differences} differ with {CLIENTS} clients",
        not any(differences) and not server.panics(),
    )
table.end()
