"""A client of the API for the tests of `standin explore`: `client.py DEFECT PART…`.

DEFECT is `none`, or the name of the one thing that it does wrong. PART is a part of its work: qna, reviews, contact, subscribe,
fallback. It needs nothing but Python's standard library.
"""

import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request

DEFECT, PARTS = sys.argv[1], sys.argv[2:]
BASE = os.environ["STANDIN_BASE_URL"]
KEY = os.environ["STANDIN_API_KEY"]
BUSINESS = os.environ["STANDIN_BUSINESS_NUMBER"]
ATTEMPTS = 3
TIMEOUT = None if DEFECT == "no-timeout" else 2.5
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Refused(Exception):
    """The API refused the call; to repeat it is of no use."""


class Broken(Exception):
    """Nobody knows whether the call took effect."""


class Unavailable(Exception):
    """The API did not do what was asked, and may do it later."""

    def __init__(self, wait):
        super().__init__(f"unavailable, wait {wait}")
        self.wait = wait


def send(path, body):
    headers = {"x-api-key": KEY, "content-type": "application/json", "x-business-number": BUSINESS}
    request = urllib.request.Request(BASE + path, json.dumps(body).encode(), headers, method="POST")
    try:
        with opener.open(request, timeout=TIMEOUT) as response:
            text = response.read()
    except urllib.error.HTTPError as error:
        answer = error.read()
        try:
            code = json.loads(answer).get("code")
        except ValueError:
            code = None
        if error.code >= 500 or (error.code == 429 and code != 1027):
            after = error.headers.get("retry-after")
            raise Unavailable(0.0 if after is None or DEFECT == "ignores-retry-after" else float(after))
        if DEFECT == "retries-1161" and code == 1161:
            raise Unavailable(0.0)
        raise Refused(f"{error.code} {code}")
    except (OSError, http.client.HTTPException) as error:
        raise Broken(repr(error))
    try:
        return json.loads(text)
    except ValueError as error:
        if DEFECT == "swallows-malformed":
            return {}
        raise Broken(repr(error))


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
    found, start, size = [], 0, 50 if PARTS == ["fallback"] else 2
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
        body["externalId"] = f"{random.random()}"
        body["customFields"] = [{"fieldName": "seen", "fieldType": "text", "fieldValue": time.strftime("%H:%M:%S")}]
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
                contact_again = {"firstName": "Bob", "email": "bob@example.test", "businessIds": [int(BUSINESS)]}
                call("/v1/contact/external/preferences/saveCustomer", contact_again)
            raise


if DEFECT == "flaky" and random.random() < 0.5:
    PARTS = PARTS[:-1]
if DEFECT == "skips" and os.path.exists("skip"):
    PARTS = PARTS[:-1]
for part in PARTS:
    {"qna": questions, "reviews": reviews, "contact": contact, "subscribe": subscribe, "fallback": fallback}[part]()
