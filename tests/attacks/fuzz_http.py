"""Fuzzed HTTP: bytes of valid calls to the API and to the admin side are changed at random.

    python3 tests/attacks/fuzz_http.py BINARY [--count 460000] [--seed 1]

Seven in eight inputs are well-formed HTTP with other bytes in path, query, header values or body: each must be answered. The others are changed
anywhere, so that nothing can be said about them alone; the program must get over them."""

import argparse
import collections
import json
import multiprocessing
import random
import socket
import sys
import threading
import time
from urllib.parse import quote_from_bytes

from standin import Server, Table, binary

SCENARIO = {"fuzz.yaml": """standin: 1
name: fuzz
seed: 1
clock: {start: 2026-06-30T17:00:00Z, mode: frozen}
keys: [{key: demo-key, name: demo, accounts: [100]}]
businesses:
  - number: 100
    name: Fuzz
    text_categorisation: true
    users: [owner@fuzz.test]
    levels: [Region]
    competitors: [200]
    locations: [{number: 1001, name: One, levels: {Region: West}, reviews: [{generate: 50, dates: {from: 2026-01-01, to: 2026-06-28}}], questions: [{generate: 9, dates: {from: 2026-01-10, to: 2026-06-05}}]}]
  - {number: 200, name: Other, locations: [{number: 2001, name: Two, reviews: [{generate: 5, dates: {from: 2026-01-01, to: 2026-06-28}}]}]}
"""}

SENTIMENT = {"businessNumbers": [100, 1001], "startDate": "07/01/2025", "endDate": "06/30/2026", "userEmail": "owner@fuzz.test", "ratings": [1, 5], "reviewSources": ["google"], "hierarchyNodeData": [{"levelId": "Region", "levelNames": ["West"]}], "groupByLevel": "Region"}
CONTACT = {"email": "robin@mail.test", "phone": "(415) 555-0142", "businessIds": [1001], "firstName": "Robin", "tags": ["new"], "customFields": [{"fieldName": "Since", "type": "date", "fieldValue": "02/28/2026"}], "smsPreferences": {"marketingOptin": True}}
FAULT = {"operation": ["qna"], "when": {"query": {"x": "1"}, "body": {"/a/0": 1}}, "hits": "1-2", "then": {"body": {"patch": [{"op": "replace", "path": "/0/rating", "value": "five"}]}}}
HEADERS = {"host": "localhost", "x-api-key": "demo-key", "x-business-number": "100", "content-type": "application/json"}
WORLD = "/__admin/worlds/fuzz"

# Method, path, query, further headers, body.
CALLS = [
    ("POST", "/v1/review/businessId/100", "sindex=0&count=2&isCompetitor=false", {"prefer": "fault=none"}, {"fromDate": "01/01/2026", "sources": ["google"], "ratings": [5], "searchStr": "great", "subBusinessIds": [1001], "statuses": ["all"]}),
    ("POST", "/w/fuzz/resources/v1/review/businessId/200/", "isCompetitor=true&count=1", {"origin": "http://127.0.0.1:3000", "x-standin-trace": "1"}, {"updateFromDate": "1/2/2026"}),
    ("POST", "/v1/insight/sentiment/locationInfo", "start-index=0&page-size=10&sort-by=name&sort-order=1", {}, SENTIMENT),
    ("POST", "/v1/insight/sentiment/scoreBenchmark", "", {}, SENTIMENT),
    ("POST", "/v1/contact/external/preferences/saveCustomer", "", {}, CONTACT),
    ("POST", "/v1/qna/unanswered/get", "businessId=100", {}, {"startIndex": 0, "pageSize": 3}),
    ("POST", "/v1/messenger/subscribe/webhook/event", "", {}, {"businessNumber": 100, "apiKey": "demo-key", "events": ["message.added"], "endpoint": "http://192.0.2.1:9/hook"}),
    ("OPTIONS", "/v1/qna/unanswered/get", "", {"origin": "http://a.test", "access-control-request-method": "POST"}, None),
    ("GET", f"{WORLD}/requests", "operation=reviews&status=200&code=89&after=3&limit=2", {}, None),
    ("GET", f"{WORLD}/reviews", "business=1001&offset=1&limit=2", {}, None),
    ("GET", f"{WORLD}/deliveries", "status=dead&subscription=1&limit=2", {}, None),
    ("PUT", f"{WORLD}/faults/f1", "", {}, FAULT),
    ("PATCH", f"{WORLD}/faults/f1", "", {}, {"enabled": False}),
    ("POST", f"{WORLD}/clock", "", {}, {"advance": "61s"}),
    ("POST", f"{WORLD}/clock", "", {}, {"set": "2026-07-01T09:00:00Z"}),
    ("POST", f"{WORLD}/events", "", {}, {"event": "message.added", "business": 100, "conversation": "c1", "text": "Hi!", "data": {"a": [1]}}),
    ("POST", f"{WORLD}/reviews", "", {}, {"businessId": 1001, "rating": 4, "date": "2026-06-01", "comments": "The soup was cold."}),
    ("POST", f"{WORLD}/questions", "", {}, {"businessId": 1001, "question": "Open?", "answers": [{"answer": "Yes", "by": "Doug"}]}),
    ("POST", f"{WORLD}/reset", "", {}, {"seed": 7}),
    ("PUT", "/__admin/worlds/other", "", {}, {"scenario": "fuzz", "seed": 7, "clock": {"start": "2026-06-30T00:00:00Z", "mode": "frozen"}, "faults": [dict(FAULT, name="f2")]}),
    ("PUT", "/__admin/scenarios/put", "", {"content-type": "application/yaml"}, SCENARIO["fuzz.yaml"].replace("name: fuzz\n", "")),
    ("GET", "/openapi.json", "", {}, None),
    ("GET", "/metrics", "", {}, None),
]
INTERESTING = [b"", b"\x00", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"9" * 40, b"-1", b"1e309", b"null", b"[" * 200, b"{", b"}", b'"', b"\\", b"%", b"%00", b"%2f", b"..", b"//", b"&" * 50, b";", b"a" * 9000, b"\xf0\x9f\x92\xa5", b"12/31/9999", b"00/00/0000", b"*a", b"&a", b"{{", b": ", b"\t"]


def mutate(data, draw):
    """Changes, repeats, removes or inserts a few bytes."""
    data = bytearray(data)
    for _ in range(draw.choice([1, 1, 1, 2, 3, 8])):
        at, kind = draw.randint(0, len(data)), draw.random()
        if kind < 0.3 and data:
            data[at - 1] = draw.randrange(256)
        elif kind < 0.5:
            end = at + draw.randint(0, 12)
            del data[at:end]
        elif kind < 0.7:
            data[at:at] = data[at : at + draw.randint(0, 40)] * draw.choice([1, 2, 30])
        else:
            data[at:at] = draw.choice(INTERESTING)
    return bytes(data)


def encode(method, path, query, headers, body, pieces=0):
    """The bytes of a call, its body in chunks of that length, or in one piece."""
    head = b"%s %s%s HTTP/1.1\r\n" % (method, path, b"?" + query if query else b"")
    head += b"".join(b"%s: %s\r\n" % pair for pair in headers)
    if not pieces:
        return head + b"content-length: %d\r\n\r\n" % len(body) + body
    chunks = [body[at : at + pieces] for at in range(0, len(body), pieces)]
    return head + b"transfer-encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def draw_input(draw):
    """An input, whether it is well-formed HTTP, and its method."""
    method, path, query, headers, body = draw.choice(CALLS)
    method, path, query = method.encode(), path.encode(), query.encode()
    headers = [(name.encode(), value.encode()) for name, value in {**HEADERS, **headers}.items()]
    body = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    pieces = draw.choice([0, 0, 0, 0, 0, 0, 0, 1, 7, 1000])
    if draw.random() < 1 / 8:
        return mutate(encode(method, path, query, headers, body, pieces), draw), False, method
    for part in draw.sample(["path", "query", "header", "body", "body", "body"], draw.choice([1, 1, 2])):
        if part == "path":
            path = b"/" + quote_from_bytes(mutate(path, draw), draw.choice(["/", "/%"])).encode()[-6000:].lstrip(b"/")
        elif part == "query":
            query = quote_from_bytes(mutate(query, draw), draw.choice(["=&", "=&%;+"])).encode()[:6000]
        elif part == "header":
            which = draw.randrange(1, len(headers))
            value = bytes(byte for byte in mutate(headers[which][1], draw) if byte >= 32 and byte != 127)
            headers[which] = headers[which][0], value[:6000]
        else:
            body = mutate(body, draw)
    return encode(method, path, query, headers, body, pieces), True, method


def read_answer(connection, method):
    """Status and whether the connection stays open; the status is None at the end of the connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return None, False
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    length = int(fields.get(b"content-length", b"0"))
    if b"transfer-encoding" in fields or fields.get(b"connection") == b"close":
        return int(head[9:12]), False
    while method != b"HEAD" and len(body) < length:
        chunk = connection.recv(65536)
        if not chunk:
            return None, False
        body += chunk
    return int(head[9:12]), True


def fuzz(port, seed, count, results):
    """Sends inputs. Puts how many answers had which status, and the inputs that were not answered as they must be."""
    draw, statuses, wrong, connection, slowest = random.Random(seed), collections.Counter(), [], None, (0, b"")
    for number in range(count):
        data, well_formed, method = draw_input(draw)
        started = time.monotonic()
        try:
            if not connection or not well_formed:
                connection and connection.close()
                connection = socket.create_connection(("127.0.0.1", port), 30)
            # What is not well-formed may ask for more bytes, which never come.
            connection.settimeout(30 if well_formed else 0.01)
            connection.sendall(data)
            status, stays = read_answer(connection, method)
        except TimeoutError:
            status, stays = "silent", False
        except (OSError, ValueError) as error:
            status, stays = type(error).__name__, False
        slowest = max(slowest, (time.monotonic() - started, data[:2000]))
        statuses[f"{status if well_formed else 'broken framing'}"] += 1
        allowed = isinstance(status, int) and (status < 500 or (status in (501, 505) and not well_formed))
        if not (allowed or (not well_formed and not isinstance(status, int))):
            wrong.append((status, data[:2000]))
        if not stays or not well_formed:
            connection and connection.close()
            connection = None
    results.put((statuses, wrong, slowest))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=460_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with Server(binary(), SCENARIO, "--idle", "30s") as server:
        results, workers, started = multiprocessing.Queue(), 4, time.monotonic()
        processes = [multiprocessing.Process(target=fuzz, args=(server.port, options.seed * 1000 + which, options.count // workers, results)) for which in range(workers)]
        for process in processes:
            process.start()
        # A caller beside them sees whether others are held up.
        waits, done = [], threading.Event()

        def beside():
            while not done.wait(0.2):
                at = time.monotonic()
                server.call("GET", "/__admin/health")
                waits.append(time.monotonic() - at)

        threading.Thread(target=beside, daemon=True).start()
        statuses, wrong, slowest = collections.Counter(), [], (0, b"")
        for _ in processes:
            counted, found, longest = results.get()
            statuses, wrong, slowest = statuses + counted, wrong + found, max(slowest, longest)
        done.set()
        for status, data in [*wrong[:20], slowest]:
            print(f"{status}: {data!r}", file=sys.stderr)
        own = sum(1 for line in server.call("GET", "/metrics")[2].decode().splitlines() if line.startswith("standin_requests_total{") and 'status="5' in line and 'fault=""' in line)
        kinds = ", ".join(f"{status}: {count:,}" for status, count in sorted(statuses.items()))
        waits.sort()
        alive, panics, peak = server.alive(), server.panics(), server.peak() >> 20
        table = Table()
        table.row(
            f"{options.count:,} fuzzed calls to the API and the admin side", "each that is well-formed HTTP is answered, none with a 5xx; no panic, and it goes on",
            f"{kinds}; {len(wrong)} wrong, {own} own 5xx in the metrics, {panics} panics, answers afterwards: {'yes' if alive else 'no'}; at most {peak} MiB resident, {time.monotonic() - started:.0f} s",
            not wrong and not own and not panics and alive and peak < 512,
        )
        p99 = waits[len(waits) * 99 // 100] * 1000
        table.row("the same", "the slowest answer takes at most the 10 s of a clock move, and calls beside it under 100 ms (p99)", f"slowest {slowest[0]:.2f} s; {len(waits):,} calls beside it: p99 {p99:.0f} ms, slowest {waits[-1] * 1000:.0f} ms", slowest[0] < 11 and p99 < 100)
        table.end()


main()
