"""A careless client: it does on purpose what the scorecard finds. Copy nothing from here.

    python client.py RULE...  breaks these rules
    python client.py          breaks every rule that its scenario gives an occasion for, one after the other

It reads STANDIN_BASE_URL, STANDIN_API_KEY and STANDIN_BUSINESS_NUMBER, needs no packages, and exits with 0 whatever happened:
to report success in any case is careless as well.

| RULE                 | scenario            | what it does                                                              |
|----------------------|---------------------|---------------------------------------------------------------------------|
| retry-after          | rate-limited        | tries again after 0.2 s, although the answer asks for 2 s                 |
| backs-off            | down                | tries again at once, and once more                                        |
| grows                | dirty-network       | waits equally long before each of three retries                           |
| jitter               | down                | ten requests fail together, and are sent again together                   |
| attempts             | dirty-network       | tries seven times                                                         |
| retry-budget         | dirty-network       | sends two retries for each of twenty requests, while all of them fail     |
| no-retry-on-refusal  | bad-key             | repeats what was refused with 1161 (also in invalid-enterprise: 2151)     |
| no-retry-on-1027     | demo                | takes each 429 for a rate limit                                           |
| lost-contact         | lost-answers        | gives the contact another externalId and e-mail address with each try     |
| lost-subscription    | lost-answers        | subscribes again when the answer was lost                                 |
| gives-up-waiting     | dirty-network (1)   | has no time limit                                                         |
| notices-broken-body  | dirty-network       | takes half an answer for an empty one                                     |
| pages-whole          | demo                | adds one too many to the start of each page                               |
| own-pace             | demo                | goes on at full speed when the key's rate limit is reached                |
| key-in-header        | demo                | sends the key in the URL                                                  |
| same-read            | demo                | reads the same page three times                                           |
| hook-acknowledged    | webhooks (2)        | works for 20 s before it answers a delivery                               |
| hook-signature       | webhooks (2)        | accepts every signature                                                   |
| hook-twice           | webhooks (2)        | does the work of an event each time that it is delivered                  |
| hook-out-of-order    | webhooks (2)        | answers 500 to an event that is older than the one before                 |
| hook-unknown-event   | webhook-faults (3)  | answers 500 to an event that it did not subscribe to                      |

(1) Its stalls end after 10 s. One that lasts: --fault 'stall={on_request: true, then: {connection: stall}}'
(2) examples/clients/webhooks.yaml, with WEBHOOK_SECRET=whsec_c3RhbmRpbi1zdGFuZGluLXN0YW5kaW4=
(3) scenarios/faults/webhook-faults.yaml, with the same secret.

In dirty-network it asks for its faults by the header `Prefer`, so that they do not depend on chance.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from email.message import Message
from pathlib import Path

# The proper receiver, which this client spoils.
sys.path.insert(0, str(Path(__file__).parent.parent / "python"))
from receiver import Receiver  # noqa: E402

BASE_URL, KEY, BUSINESS = (os.environ[f"STANDIN_{name}"] for name in ("BASE_URL", "API_KEY", "BUSINESS_NUMBER"))
LOST = 0  # In place of a status, when there was no answer.
REVIEWS = f"/v1/review/businessId/{BUSINESS}"
BENCHMARK = "/v1/insight/sentiment/scoreBenchmark"
CONTACT = "/v1/contact/external/preferences/saveCustomer"
SUBSCRIBE = "/v1/messenger/subscribe/webhook/event"
EVENTS = ["conversation.created", "conversation.updated", "message.added", "conversation.closed"]
DATES = {"startDate": "01/01/2026", "endDate": "06/30/2026"}


def send(path: str, body: dict | None = None, fault: str = "", timeout: float = 15, key: bool = True) -> int:
    """Sends a request once, and returns the status of the answer. `fault` asks dirty-network for that fault."""
    headers = {"content-type": "application/json", "x-business-number": BUSINESS}
    if key:
        headers["x-api-key"] = KEY
    if fault:
        headers["prefer"] = f"fault={fault}"
    request = urllib.request.Request(BASE_URL + path, json.dumps(body or {}).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            status = answer.status
            answer.read()
        return status
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except http.client.IncompleteRead:
        return status
    except (OSError, http.client.HTTPException):
        return LOST


def start(connection: http.client.HTTPConnection, path: str, body: dict | None = None) -> None:
    headers = {"content-type": "application/json", "x-api-key": KEY}
    path = urllib.parse.urlsplit(BASE_URL).path + path
    connection.request("POST", path, json.dumps(body or {}), headers)


def post(connection: http.client.HTTPConnection, path: str, body: dict | None = None) -> int:
    """Sends a request on a connection that is kept, which is the fastest way to send another."""
    try:
        start(connection, path, body)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        connection.close()
        return LOST


def page(start: int, count: int = 25) -> str:
    return f"{REVIEWS}?sindex={start}&count={count}"


def retry_after() -> None:
    for count in range(1, 4):
        if send(page(0, count)) == 429:
            time.sleep(0.2)
            send(page(0, count))


def backs_off() -> None:
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(BASE_URL).netloc, timeout=15)
    for count in range(4, 12):
        for _ in range(3):
            if post(connection, page(0, count)) < 500:
                break
    connection.close()


def grows() -> None:
    for count in range(12, 20):
        for attempt in range(4):
            if attempt:
                time.sleep(0.15)
            if send(page(0, count), fault="close") == 200:
                break


def jitter() -> None:
    netloc = urllib.parse.urlsplit(BASE_URL).netloc
    connections = [http.client.HTTPConnection(netloc, timeout=15) for _ in range(10)]
    for connection in connections:
        connection.connect()
    for pause in (0.5, 0):
        for count, connection in enumerate(connections, 20):
            start(connection, page(0, count))
        for connection in connections:
            connection.getresponse().read()
        time.sleep(pause)
    for connection in connections:
        connection.close()


def attempts() -> None:
    for attempt in range(7):
        if send(page(0, 30), fault="close") == 200:
            break
        time.sleep(0.06 * 2**attempt)


def retry_budget() -> None:
    for count in range(40, 60):
        for pause in (0.06, 0.12, 0):
            if send(page(0, count), fault="close") == 200:
                break
            time.sleep(pause)


def no_retry_on_refusal() -> None:
    for pause in (0.2, 0.4, 0):
        if send(BENCHMARK, {"businessNumbers": [int(BUSINESS)], **DATES}) not in (401, 404):
            break
        time.sleep(pause)


def no_retry_on_1027() -> None:
    for pause in (0.6, 1.2, 0):
        if send(BENCHMARK, {"businessNumbers": [987654321], **DATES}) != 429:
            break
        time.sleep(pause)


def lost_contact() -> None:
    for number, pause in enumerate((0.2, 0.4, 0)):
        contact = {"externalId": f"careless-{number}", "email": f"{number}@careless.test", "firstName": "Carl"}
        if send(CONTACT, contact | {"businessIds": [int(BUSINESS)]}) != LOST:
            break
        time.sleep(pause)


def lost_subscription() -> None:
    body = {"businessNumber": BUSINESS, "apiKey": KEY, "events": ["message.added"], "endpoint": "https://hooks.example.test/careless"}
    for pause in (0.2, 0.4, 0):
        if send(SUBSCRIBE, body) != LOST:
            break
        time.sleep(pause)


def gives_up_waiting() -> None:
    send(page(0, 31), fault="stall", timeout=90)


def notices_broken_body() -> None:
    send(page(0, 32), fault="malformed")
    send(page(0, 33), fault="truncate")


def pages_whole() -> None:
    for start in range(0, 5 * 26, 26):
        send(page(start))


def own_pace() -> None:
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(BASE_URL).netloc, timeout=15)
    for number in range(800):
        post(connection, page(0, 0), {"searchStr": f"word {number}"})
    connection.close()


def key_in_header() -> None:
    send(f"{page(0, 34)}&api_key={KEY}", key=False)


def same_read() -> None:
    for _ in range(3):
        send(page(0, 35))


class SpoiledReceiver(Receiver):
    """The proper receiver, but for the rules that it is told to break."""

    def __init__(self, broken: set[str]):
        self.broken = broken
        self.last = time.monotonic()
        self.is_busy = False
        self.messages: dict[str, int] = {}  # the most that an event has shown of each conversation
        super().__init__(os.environ.get("WEBHOOK_SECRET"))

    def receive(self, headers: Message, body: bytes) -> int:
        self.last = time.monotonic()
        status = super().receive(headers, body)
        if status != 200:
            return 200 if "hook-signature" in self.broken else status
        event = json.loads(body)
        if "hook-unknown-event" in self.broken and event["event"] not in EVENTS:
            return 500
        if "hook-twice" in self.broken:
            contact = {"email": "hook@careless.test", "firstName": event["eventId"], "businessIds": [int(BUSINESS)]}
            send(CONTACT, contact)
        if "hook-acknowledged" in self.broken:
            self.is_busy = True
            time.sleep(20)
        if "hook-out-of-order" in self.broken and self.is_older(event["data"]):
            return 500
        return 200

    def is_older(self, conversation: dict) -> bool:
        name, count = conversation.get("id", ""), len(conversation.get("messages", []))
        most = self.messages.get(name, 0)
        self.messages[name] = max(most, count)
        return count < most


def hooks(broken: set[str]) -> None:
    receiver = SpoiledReceiver(broken)
    body = {"businessNumber": BUSINESS, "apiKey": KEY, "events": EVENTS, "endpoint": receiver.url}
    if send(SUBSCRIBE, body) == 200:
        start = time.monotonic()
        while time.monotonic() < min(start + 45, receiver.last + (25 if receiver.is_busy else 3)):
            time.sleep(0.1)
    receiver.close()


RULES = {
    "retry-after": retry_after,
    "backs-off": backs_off,
    "grows": grows,
    "jitter": jitter,
    "attempts": attempts,
    "retry-budget": retry_budget,
    "no-retry-on-refusal": no_retry_on_refusal,
    "no-retry-on-1027": no_retry_on_1027,
    "lost-contact": lost_contact,
    "lost-subscription": lost_subscription,
    "gives-up-waiting": gives_up_waiting,
    "notices-broken-body": notices_broken_body,
    "pages-whole": pages_whole,
    "key-in-header": key_in_header,
    "same-read": same_read,
    "own-pace": own_pace,  # the last one, because nothing is accepted after it
}
HOOK_RULES = {"hook-acknowledged", "hook-signature", "hook-twice", "hook-out-of-order", "hook-unknown-event"}


def main() -> None:
    rules = sys.argv[1:]
    if any(rule not in RULES and rule not in HOOK_RULES for rule in rules):
        sys.exit(f"no such rule: {' '.join(rules)}; there are {', '.join([*RULES, *sorted(HOOK_RULES)])}")
    if broken := HOOK_RULES.intersection(rules) if rules else HOOK_RULES:
        hooks(broken)
    for rule, break_it in RULES.items():
        if not rules or rule in rules:
            break_it()


if __name__ == "__main__":
    main()
