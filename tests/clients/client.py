"""A client of the API for the tests of `standin explore`: `client.py DEFECT PART…`.

DEFECT is `none`, or the name of the one thing that it does wrong. PART is a part of its work: qna, reviews, contact, subscribe,
fallback, greet, two. It needs nothing but Python's standard library.
"""

import json
import os
import socket
import sys
import time

DEFECT, PARTS = sys.argv[1], sys.argv[2:]
BASE = os.environ["STANDIN_BASE_URL"]
KEY = os.environ["STANDIN_API_KEY"]
BUSINESS = os.environ["STANDIN_BUSINESS_NUMBER"]
ATTEMPTS = 3
# Machines that build something else answer late, too.
TIMEOUT = None if DEFECT == "no-timeout" else 2.5
HOST, _, PREFIX = BASE.removeprefix("http://").partition("/")


class Refused(Exception):
    """The API refused the call; to repeat it is of no use."""


class Broken(Exception):
    """Nobody knows whether the call took effect."""


class Unavailable(Exception):
    """The API did not do what was asked, and may do it later."""

    def __init__(self, wait):
        super().__init__(f"unavailable, wait {wait}")
        self.wait = wait


def exchange(path, body):
    """Sends a request, and returns status, headers and body of the answer. Libraries for HTTP take longer to load than to use."""
    data = json.dumps(body).encode()
    head = [f"POST {'/' + PREFIX if PREFIX else ''}{path} HTTP/1.1", f"host: {HOST}", "connection: close", f"x-api-key: {KEY}"]
    head += ["content-type: application/json", f"x-business-number: {BUSINESS}", f"content-length: {len(data)}"]
    answer = b""
    try:
        name, port = HOST.split(":")
        with socket.create_connection((name, int(port)), timeout=TIMEOUT) as connection:
            connection.sendall("\r\n".join(head + ["", ""]).encode() + data)
            while piece := connection.recv(1 << 16):
                answer += piece
    except OSError as error:
        raise Broken(repr(error))
    head, _, text = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if not first.startswith("HTTP/1.1 ") or len(text) < int(headers.get("content-length", 0)):
        raise Broken("half an answer")
    return int(first.split()[1]), headers, text


def send(path, body):
    status, headers, text = exchange(path, body)
    try:
        answer = json.loads(text)
    except ValueError as error:
        if status < 300 and DEFECT != "swallows-malformed":
            raise Broken(repr(error))
        answer = {}
    if status < 300:
        return answer
    code = answer.get("code")
    if status >= 500 or (status == 429 and code != 1027):
        after = headers.get("retry-after")
        raise Unavailable(0.0 if after is None or DEFECT == "ignores-retry-after" else float(after))
    if DEFECT == "retries-1161" and code == 1161:
        raise Unavailable(0.0)
    raise Refused(f"{status} {code}")


def call(path, body, repeatable=True, once=False):
    attempts = 1 if DEFECT == "no-retry" else ATTEMPTS
    for attempt in range(1, attempts + 1):
        try:
            return send(path, body)
        except Unavailable as error:
            if attempt == attempts or once:
                raise
            time.sleep(max(error.wait, 0.06 * 2**attempt))
        except Broken:
            if attempt == attempts or not repeatable:
                raise
            time.sleep(0.06 * 2**attempt)


def questions():
    found, start, size = [], 0, 3 if DEFECT in ("none", "loses-page") and "qna" in PARTS else 50
    while True:
        body = {"startIndex": start, "pageSize": size}
        path = f"/v1/qna/unanswered/get?businessId={BUSINESS}"
        if DEFECT == "loses-page":
            try:
                answer = call(path, body, once=True)
            except Unavailable as error:
                time.sleep(max(error.wait, 0.2))
                start += size
                if start >= 6:
                    break
                continue
        else:
            answer = call(path, body)
        if answer == {} and DEFECT == "swallows-malformed":
            break
        page = answer["questionsAndAnswers"]
        found += page
        if DEFECT == "loses-page" and page:
            start += size
            if start >= answer["totalCount"]:
                break
            continue
        if len(found) >= answer["totalCount"]:
            break
        if not page and DEFECT != "loops-on-empty":
            raise RuntimeError("a page is empty before the end")
        start = len(found)
    return found


def reviews():
    for review in call(f"/v1/review/businessId/{BUSINESS}?sindex=0&count=5", {}):
        review["reviewId"]


def contact():
    body = {"firstName": "Ann", "lastName": "Bell", "email": "ann@example.test", "businessIds": [int(BUSINESS)]}
    if DEFECT == "random":
        body["externalId"] = os.urandom(8).hex()
    if DEFECT in ("random", "timed"):
        body["customFields"] = [{"fieldName": "seen", "fieldType": "text", "fieldValue": time.strftime("%H:%M:%S")}]
    store(body)


def store(body):
    call("/v1/contact/external/preferences/saveCustomer", body)


def subscribe():
    body = {"businessNumber": int(BUSINESS), "apiKey": KEY, "events": ["message.added"], "endpoint": "http://127.0.0.1:9/hook"}
    call("/v1/messenger/subscribe/webhook/event", body, repeatable=DEFECT == "repeats-lost-subscription")


def fallback():
    """Shows questions, or if there are none to have, reviews."""
    try:
        questions()
    except (Unavailable, Broken, Refused):
        try:
            call(f"/v1/review/businessId/{BUSINESS}?sindex=0&count=5", {})
        except (Unavailable, Broken, Refused):
            if DEFECT == "breaks-in-fallback":
                contact()
                store({"firstName": "Bob", "email": "bob@example.test", "businessIds": [int(BUSINESS)]})
            raise


def greet():
    """Stores a contact with a text that it has read, or one of its own where there is none to have."""
    try:
        text = call(f"/v1/review/businessId/{BUSINESS}?sindex=0&count=5", {}, once=DEFECT == "greets-otherwise")[0]["comments"]
    except (Unavailable, Broken, Refused, LookupError, TypeError):
        text = "Hello"
    store({"firstName": "Ann", "email": "ann@example.test", "tags": [str(text)[:20]], "businessIds": [int(BUSINESS)]})


def two():
    """Shows questions and reviews, as far as they are to be had."""
    missing = 0
    for path, body in [(f"/v1/qna/unanswered/get?businessId={BUSINESS}", {}), (f"/v1/review/businessId/{BUSINESS}?count=5", {})]:
        try:
            call(path, body)
        except (Unavailable, Refused):
            missing += 1
    if missing == 2 and DEFECT == "breaks-without-both":
        store({"firstName": "Bob", "email": "bob@example.test", "businessIds": [int(BUSINESS)]})


if DEFECT == "flaky" and os.urandom(1)[0] < 128:
    PARTS = PARTS[:-1]
if DEFECT == "skips" and os.path.exists("skip"):
    PARTS = PARTS[1:]
for part in PARTS:
    {"qna": questions, "reviews": reviews, "contact": contact, "subscribe": subscribe, "fallback": fallback, "greet": greet, "two": two}[part]()
