"""A long run of everything at once: faults, worlds, contacts, additions, events, webhooks, streams, clock moves, reloads, broken
saves, and clients that stall or vanish. All sets that it makes are bounded or reset, so what grows is a leak.

    python3 tests/attacks/soak.py BINARY [--minutes 60] [--cores 0.3]
"""

import argparse
import http.client
import http.server
import itertools
import json
import random
import socket
import statistics
import struct
import sys
import threading
import time

from standin import KEY, Server, Table, binary, examples

BASE = """standin: 1
name: base
summary: Two thousand reviews, and conversations that unfold by themselves.
seed: {seed}
clock: {{start: 2026-06-30T17:00:00Z, mode: running}}
keys: [{{key: demo-key, name: demo, accounts: [100]}}]
businesses:
  - number: 100
    name: Soak
    users: [owner@soak.test]
    locations:
      - {{number: 1001, name: One, reviews: [{{generate: {reviews}, dates: {{from: 2025-07-01, to: 2026-06-28}}}}], questions: [{{generate: 20, dates: {{from: 2026-01-10, to: 2026-06-05}}}}]}}
      - {{number: 1002, name: Two, reviews: [{{generate: 1000, dates: {{from: 2025-07-01, to: 2026-06-28}}}}]}}
webhooks:
  signing: {{scheme: standard-webhooks, secret: whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=}}
  retry: {{attempts: 3, first: 1s, factor: 2, jitter: 20%, timeout: 2s}}
  timeline:
    - {{after: contact, event: conversation.updated, conversation: welcome}}
    - {{every: 5s, event: message.added, business: 100, conversation: front-desk}}
  faults:
    - {{event: message.added, per: delivery, chance: 10%, then: duplicate}}
    - {{event: message.added, per: delivery, chance: 5%, then: drop}}
    - {{event: message.added, chance: 5%, then: truncate}}
"""

# Answers of 5xx that are faults say so in a header; any other 5xx is the program's own.
FAULTY = """standin: 1
name: faulty
include: [base.yaml]
faults:
  - {name: e500, chance: 2%, then: {error: 500, headers: {set: {x-fault: yes}}}}
  - {name: e503, per: request, hits: 1, chance: 5%, then: {status: 503, text: busy, headers: {set: {x-fault: yes}}}}
  - {name: e89, chance: 2%, then: {error: 89, retry_after: 1s}}
  - {name: late, chance: 10%, then: {delay: {median: 5ms, p99: 200ms}}}
  - {name: reset, chance: 2%, then: {connection: reset}}
  - {name: close, chance: 1%, then: {connection: close}}
  - {name: stall, chance: 1%, then: {connection: stall, for: 500ms}}
  - {name: garbage, chance: 1%, then: {connection: garbage}}
  - {name: cut, chance: 2%, then: {body: {truncate: 50%}}}
  - {name: drip, chance: 1%, then: {body: {drip: 4096 per 5ms}}}
  - {name: malformed, chance: 1%, then: {body: {malformed: true}}}
  - {name: lost, chance: 1%, then: {lost: reset}}
  - {name: drift, operation: reviews, chance: 5%, then: {body: {patch: [{op: add, path: /-, value: {new: [1, 2, 3]}}]}}}
"""

POOL = [f"pool-{number}" for number in range(8)]
WORLDS = [*POOL, "base", "faulty", "reloaded"]
COUNTS = {name: 0 for name in ("calls", "admin calls", "worlds", "events", "deliveries received", "streams", "reloads", "broken saves", "clients that vanished")}
OWN_5XX, ERRORS = [], []
STOP = threading.Event()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes deliveries: most get 200, some 500, some no answer."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        try:
            self.rfile.read(int(self.headers["content-length"]))
            COUNTS["deliveries received"] += 1
            which = random.random()
            if which > 0.95:
                self.close_connection = True
            else:
                self.send_response(200 if which < 0.9 else 500)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"ok")
        except (OSError, ValueError):
            self.close_connection = True

    def log_message(self, *_):
        pass


class Client:
    """One kept connection, opened again when it broke."""

    def __init__(self, server):
        self.server, self.connection = server, None

    def call(self, method, path, body=None):
        """The status, or None without a good answer; and the body."""
        admin = path.startswith("/__admin") or path == "/metrics"
        COUNTS["admin calls" if admin else "calls"] += 1
        try:
            self.connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            text = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
            self.connection.request(method, path, text, {} if admin else KEY)
            answer = self.connection.getresponse()
            if answer.status >= 500 and not answer.getheader("x-fault"):
                OWN_5XX.append(f"{method} {path}: {answer.status} {answer.read()[:300]!r}")
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException, ValueError) as error:
            if isinstance(error, TimeoutError):
                ERRORS.append(f"{method} {path}: {error!r}")
            self.close()
            return None, b""

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None


def api_call(client, world, number):
    """One of the six operations."""
    at = f"/w/{world}/v1"
    which = number % 12
    if which < 5:
        body = {"ratings": [random.randint(1, 5)], "searchStr": random.choice(["", "a", "great", "zz"])}
        return client.call("POST", f"{at}/review/businessId/100?sindex={random.randint(0, 2000)}&count={random.choice([1, 10, 25, 200])}", body)
    if which < 8:
        # Identities repeat, so a world has at most 300 contacts.
        body = {"email": f"c{random.randint(0, 299)}@mail.test", "businessIds": [1001], "firstName": "N" * random.randint(1, 400), "tags": ["soak"] * random.randint(0, 20)}
        return client.call("POST", f"{at}/contact/external/preferences/saveCustomer", body)
    if which == 8:
        return client.call("POST", f"{at}/qna/unanswered/get?businessId=100", {"startIndex": 0, "pageSize": 10})
    if which == 9:
        return client.call("POST", f"{at}/review/businessId/100?count=-1", "{not json")
    dates = {"businessNumbers": [100], "startDate": "07/01/2025", "endDate": "06/30/2026", "userEmail": "owner@soak.test"}
    return client.call("POST", f"{at}/insight/sentiment/" + ("locationInfo" if which == 10 else "scoreBenchmark"), dates)


def callers(client, number, _):
    api_call(client, random.choice(WORLDS), number)


def steward(client, number, receiver):
    """Restarts the worlds of the pool one after the other, which bounds what they hold, and subscribes the receiver anew."""
    world = WORLDS[number % len(WORLDS)]
    if world in POOL:
        COUNTS["worlds"] += 1
        client.call("PUT", f"/__admin/worlds/{world}", {"scenario": random.choice(["base", "faulty", "reloaded"]), "seed": random.randint(1, 3)})
    else:
        client.call("POST", f"/__admin/worlds/{world}/reset", {})
    events = ["conversation.created", "conversation.updated", "message.added", "conversation.closed"]
    for target in (receiver, "http://127.0.0.1:9/closed"):
        client.call("POST", f"/w/{world}/v1/messenger/subscribe/webhook/event", {"businessNumber": 100, "apiKey": "demo-key", "events": events, "endpoint": target})


def brief_worlds(client, number, _):
    """A world for each test: made, used, deleted. Every seventh is left to expire."""
    name = f"brief-{number}"
    COUNTS["worlds"] += 1
    fault = {"name": "once", "operation": "reviews", "hits": 1, "then": {"status": 503, "headers": {"set": {"x-fault": "yes"}}}}
    client.call("POST", "/__admin/worlds", {"name": name, "scenario": random.choice(["base", "faulty"]), "seed": random.randint(1, 3), "faults": [fault]})
    for call in range(8):
        api_call(client, name, call)
    if number % 7:
        client.call("DELETE", f"/__admin/worlds/{name}")


def admin(client, number, _):
    """What tests do beside their calls: additions, events, clock moves, faults at runtime, and reading lists."""
    at = f"/__admin/worlds/{random.choice(WORLDS)}"
    which = number % 14
    if which < 3:
        client.call("POST", f"{at}/reviews", {"businessId": 1001, "rating": random.randint(1, 5), "comments": "The soup was cold. " * random.randint(1, 50)})
    elif which < 6:
        COUNTS["events"] += 1
        client.call("POST", f"{at}/events", {"event": random.choice(["message.added", "conversation.updated"]), "business": 100, "conversation": f"c{random.randint(0, 20)}", "text": "Hi! " * 20})
    elif which == 6:
        client.call("POST", f"{at}/questions", {"businessId": 1001, "question": "Do you take walk-ins?"})
    elif which == 7:
        client.call("POST", f"{at}/clock", {"advance": random.choice(["1s", "30s", "61s"])})
    elif which == 8:
        client.call("PUT", f"{at}/faults/extra-{random.randint(0, 3)}", {"chance": "5%", "then": {"error": 500, "headers": {"set": {"x-fault": "yes"}}}})
    elif which == 9:
        client.call(random.choice(["PATCH", "DELETE"]), f"{at}/faults/extra-{random.randint(0, 3)}", {"enabled": False})
    elif which == 10:
        client.call("GET", f"{at}/{random.choice(['requests', 'requests.har', 'reviews'])}?limit={random.choice([10, 200])}")
    elif which == 11:
        client.call("GET", f"{at}/{random.choice(['deliveries', 'contacts', 'subscriptions', 'faults', 'questions'])}")
    elif which == 12:
        client.call("GET", random.choice(["/metrics", "/__admin/health", "/__admin/worlds", "/__admin/scenarios"]))
    else:
        client.call("PUT", "/__admin/scenarios/by-admin", BASE.format(seed=number, reviews=random.randint(100, 500)).replace("name: base", "name: by-admin"))


def saves(client, number, _):
    """Saves a scenario: changed, changed, broken, corrected."""
    text = BASE.format(seed=number, reviews=random.randint(100, 2000)).replace("name: base", "name: reloaded")
    if number % 4 == 2:
        COUNTS["broken saves"] += 1
        text = random.choice([text.replace("number: 1001", "number: x"), text[: len(text) // 2] + "}", "\x00", "[" * 500])
    COUNTS["reloads"] += 1
    client.server.write("reloaded.yaml", text)


def streams(client, number, _):
    """Opens a stream, reads a little or nothing, and drops it."""
    COUNTS["streams"] += 1
    with client.server.connect() as connection:
        connection.sendall(f"GET /__admin/worlds/{random.choice(WORLDS)}/stream HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        if number % 2:
            connection.recv(1 << 16)
        STOP.wait(random.uniform(0.1, 5))


def vanish(client, number, _):
    """A client that stalls in one of five ways for a while, and vanishes, half of the time by a reset."""
    COUNTS["clients that vanished"] += 1
    review = b"POST /w/base/v1/review/businessId/100?count=3000 HTTP/1.1\r\nhost: localhost\r\nx-api-key: demo-key\r\n"
    with client.server.connect() as connection:
        if number % 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        which = number % 5
        connection.sendall([
            b"",
            review[: random.randint(1, len(review))],
            review + b"content-length: 1000000\r\n\r\n{\"searchStr\": \"" + b"x" * 65536,
            review + b"content-length: 0\r\n\r\n",
            (review + b"content-length: 0\r\n\r\n") * 3,
        ][which])
        if which == 3:
            connection.recv(1000)
        STOP.wait(random.uniform(0, 5))


class Governor:
    """Keeps the load of this script and of the program together at about a share of one core."""

    def __init__(self, server, share):
        self.server, self.share, self.pause = server, share, 0.02

    def run(self):
        before = time.process_time() + self.server.cpu(), time.monotonic()
        while not STOP.wait(2):
            now = time.process_time() + self.server.cpu(), time.monotonic()
            used = (now[0] - before[0]) / (now[1] - before[1])
            self.pause = min(2.0, max(0.001, self.pause * min(1.5, max(0.7, used / self.share))))
            before = now


def work(action, server, governor, factor, argument):
    """Repeats an action, with a pause after each: a multiple of the governor's."""
    client = Client(server)
    for number in itertools.count(1):
        if STOP.wait(governor.pause * factor * random.uniform(0.5, 1.5)):
            break
        try:
            action(client, number, argument)
        except OSError as error:
            ERRORS.append(f"{action.__name__}: {error!r}")
    client.close()


# Each action, with its number of threads and the length of its pause.
ACTIONS = [(callers, 3, 1), (steward, 1, 40), (brief_worlds, 1, 20), (admin, 2, 3), (saves, 1, 100), (streams, 4, 10), (vanish, 8, 10)]


def own_5xx_counted(server):
    """The program's own count of 5xx without a fault."""
    lines = server.call("GET", "/metrics")[2].decode().splitlines()
    own = (line for line in lines if line.startswith("standin_requests_total{") and 'status="5' in line and 'fault=""' in line)
    return sum(int(float(line.split()[-1])) for line in own)


def watch(server, minutes):
    """Samples resident memory for that time. Returns the samples as (minute, bytes)."""
    started, samples, told = time.monotonic(), [], 0
    while (minute := (time.monotonic() - started) / 60) < minutes and server.process.poll() is None:
        samples.append((minute, server.resident()))
        if minute >= told:
            told += 1
            figures = ", ".join(f"{count:,} {name}" for name, count in COUNTS.items())
            print(f"minute {minute:4.0f}: {samples[-1][1] / 2**20:6.1f} MiB, {server.descriptors():3} descriptors, {len(OWN_5XX)} own 5xx; {figures}", file=sys.stderr, flush=True)
        time.sleep(2)
    return samples


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--cores", type=float, default=0.3)
    options = parser.parse_args()
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    receiver.daemon_threads = True
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    files = {"base.yaml": BASE.format(seed=1, reviews=1000), "faulty.yaml": FAULTY, "reloaded.yaml": BASE.format(seed=2, reviews=500).replace("name: base", "name: reloaded")}
    # Small journals are full within the first minutes.
    with Server(binary(), files, "--default", "base", "--idle", "30s", "--workers", "2", "--journal", "512KiB", "--journal-total", "6MiB") as server:
        first = Client(server)
        for world in WORLDS[8:]:
            api_call(first, world, 1)
        first.close()
        time.sleep(1)
        descriptors = server.descriptors()
        governor = Governor(server, options.cores)
        endpoint = f"http://127.0.0.1:{receiver.server_port}/hook"
        threads = [threading.Thread(target=governor.run)]
        threads += [threading.Thread(target=work, args=(action, server, governor, factor, endpoint)) for action, count, factor in ACTIONS for _ in range(count)]
        for thread in threads:
            thread.start()
        samples = watch(server, options.minutes)
        STOP.set()
        for thread in threads:
            thread.join()
        report(server, options, samples, descriptors, receiver)


def report(server, options, samples, descriptors, receiver):
    table = Table()
    minutes, load = f"{options.minutes:g} minutes of everything at once", ", ".join(f"{count:,} {name}" for name, count in COUNTS.items())
    # The first sixth, and ten minutes of an hour, fill what is bounded. Compared are the medians of the twelfth after it and of the last one.
    part = options.minutes / 12
    early = statistics.median(size for minute, size in samples if 2 * part <= minute < 3 * part) / 2**20
    late = statistics.median(size for minute, size in samples if minute >= options.minutes - part) / 2**20
    growth = (late / early - 1) * 100
    table.row(f"{minutes}: {load}", f"after the first {2 * part:g} minutes resident memory grows under 5 %", f"{early:.1f} MiB, at the end {late:.1f} MiB ({growth:+.1f} %)", growth < 5)
    counted = own_5xx_counted(server)
    table.row("the same", "no 5xx but those of faults", f"{len(OWN_5XX)} seen by clients, {counted} in the metrics{examples(OWN_5XX)}", not OWN_5XX and not counted)
    table.row("the same", "every call is answered within 30 s, and every connection accepted", f"{len(ERRORS)} were not{examples(ERRORS)}", not ERRORS)
    receiver.shutdown()
    receiver.server_close()
    for world in json.loads(server.call("GET", "/__admin/worlds?limit=10000")[2]):
        server.call("POST" if world["standing"] else "DELETE", f"/__admin/worlds/{world['name']}" + "/reset" * world["standing"])
    deadline = time.monotonic() + 120
    while (left := server.descriptors()) > descriptors and time.monotonic() < deadline:
        time.sleep(1)
    table.row("the same, when all clients have left", "no descriptor is left over", f"{descriptors} before, {left} after", left <= descriptors)
    alive, panics = server.alive(), server.panics()
    code = server.stop()
    table.row("the same, and then SIGTERM", "it answers to the end, without a panic, and exits with 0", f"answers: {'yes' if alive else 'no'}, panics: {panics}, exit code {code}", alive and not panics and code == 0)
    table.end()


main()
