"""A client of the reputation API: a method for each operation, and one place that decides what is sent again."""

from __future__ import annotations

import email.utils
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import requests
import urllib3

CONNECT_SECONDS = 5
CALL_SECONDS = 10  # for one attempt, with the last byte of its answer
ATTEMPTS = 3
LONGEST_WAIT = 60  # A service that asks for more seconds than this has to wait for the next night.
RATE_LIMITED = 89

REVIEWS_A_PAGE = 500
POINTS_A_PAGE = 100
QUESTIONS_A_PAGE = 25
WINDOW = 100_000  # The API lists no record beyond this one.


class ApiError(Exception):
    """Ends the job. Its text is one line for a person."""


class NoAnswer(Exception):
    """Nothing usable came back, so the request may or may not have taken effect."""


class Refusal(Exception):
    """The API answered, and the answer is an error."""

    def __init__(self, status: int, headers: Any, body: bytes):
        try:
            error = json.loads(body)
            self.code, message = error["code"], error["message"]
        except (ValueError, KeyError, TypeError):  # The text of a gateway.
            self.code, message = None, "no error code"
        super().__init__(f"{self.code} {message} (HTTP {status})" if self.code else f"HTTP {status}")
        # A 429 alone says little: 1027 is one as well, and no repetition makes a wrong number right.
        self.limited = self.code == RATE_LIMITED or (status == 429 and self.code is None)
        self.temporary = self.limited or status >= 500
        self.retry_after = seconds(headers.get("retry-after"))


class Api:
    def __init__(self, base_url: str, key: str, business: int):
        self.base_url, self.key, self.business = base_url.rstrip("/"), key, business
        # The adapters of a session never retry by themselves, unless they are told to.
        self.session = requests.Session()

    def save_contact(self, contact: dict) -> int:
        """Creates the contact, or updates the one with the same externalId. So it is safe to repeat."""
        answer = self._call("contact", "/v1/contact/external/preferences/saveCustomer", contact)
        return member("contact", answer, "id", int)

    def reviews(self) -> Iterator[dict]:
        """All published reviews of the business. The list has no total: a page that is not full is the last one."""
        start = 0
        while True:
            if start + REVIEWS_A_PAGE > WINDOW:
                raise ApiError(f"reviews: there are more than {WINDOW}; narrow the list by dates or locations")
            query = {"sindex": start, "count": REVIEWS_A_PAGE}
            page = self._call("reviews", f"/v1/review/businessId/{self.business}", {}, query)
            if not isinstance(page, list):
                raise ApiError("reviews: the answer is not a list")
            yield from page
            if len(page) < REVIEWS_A_PAGE:
                return
            start += len(page)

    def questions(self) -> Iterator[dict]:
        query = {"businessId": self.business}
        return self._pages("questions", "questionsAndAnswers", lambda start: self._call(
            "questions", "/v1/qna/unanswered/get", {"startIndex": start, "pageSize": QUESTIONS_A_PAGE}, query))

    def location_scores(self, start_date: str, end_date: str, user: str) -> Iterator[dict]:
        body = {"businessNumbers": [self.business], "startDate": start_date, "endDate": end_date, "userEmail": user}
        return self._pages("locations", "dataPoints", lambda start: self._call(
            "locations", "/v1/insight/sentiment/locationInfo", body, {"start-index": start, "page-size": POINTS_A_PAGE}))

    def benchmark(self, start_date: str, end_date: str) -> dict:
        body = {"businessNumbers": [self.business], "startDate": start_date, "endDate": end_date}
        return member("benchmark", self._call("benchmark", "/v1/insight/sentiment/scoreBenchmark", body), "actual", dict)

    def subscribe(self, endpoint: str, events: list[str]) -> int:
        """Every call makes another subscription, so it is not repeated when its answer is lost."""
        body = {"businessNumber": str(self.business), "apiKey": self.key, "events": events, "endpoint": endpoint}
        answer = self._call("subscription", "/v1/messenger/subscribe/webhook/event", body, repeatable=False)
        return member("subscription", answer, "subscriptionId", int)

    def _pages(self, what: str, name: str, read: Callable[[int], Any]) -> Iterator[dict]:
        start = 0
        while True:
            answer = read(start)
            page, total = member(what, answer, name, list), member(what, answer, "totalCount", int)
            yield from page
            start += len(page)
            if start >= total:
                return
            if not page:
                raise ApiError(f"{what}: the list ended at {start}, but its total is {total}")

    def _call(self, what: str, path: str, body: dict, query: dict | None = None, repeatable: bool = True) -> Any:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._attempt(path, body, query, repeatable)
            except Refusal as refusal:
                problem = str(refusal)
                if not refusal.temporary:
                    raise ApiError(f"{what}: {refusal}") from refusal
                wait = backoff(attempt, 0.6 if refusal.limited else 0.2)
                if refusal.retry_after is not None:
                    # A little later than asked, so that not all clients come back in the same moment.
                    wait = refusal.retry_after + random.uniform(0.05, 0.25)
            except NoAnswer as no_answer:
                problem = str(no_answer)
                if not repeatable:
                    raise ApiError(f"{what}: {no_answer}; it may have taken effect, so it is not sent again") from no_answer
                wait = backoff(attempt, 0.2)
            if wait > LONGEST_WAIT:
                raise ApiError(f"{what}: {problem}, and the API asks to wait for {wait:.0f} s")
            if attempt < ATTEMPTS:
                time.sleep(wait)
        raise ApiError(f"{what}: gave up after {ATTEMPTS} tries: {problem}")

    def _attempt(self, path: str, body: dict, query: dict | None, repeatable: bool) -> Any:
        # The key travels in this header and in no URL. A redirect is not followed, because the key would go with it.
        headers = {"x-api-key": self.key, "x-business-number": str(self.business), "accept-encoding": "identity"}
        # A connection that is kept from earlier calls may be closed by now. What must not be sent twice gets a new one.
        post = self.session.post if repeatable else requests.post
        deadline = time.monotonic() + CALL_SECONDS
        content = bytearray()
        try:
            with post(self.base_url + path, params=query, json=body, headers=headers, stream=True,
                      allow_redirects=False, timeout=(CONNECT_SECONDS, CALL_SECONDS)) as answer:
                # The timeout of requests is one between two bytes: a slow body would never exceed it. The loop
                # limits the whole call. A body that is shorter than its content-length is an error of urllib3.
                while chunk := answer.raw.read1(65536):
                    content += chunk
                    if time.monotonic() > deadline:
                        raise NoAnswer(f"no whole answer within {CALL_SECONDS} s")
        except requests.Timeout as error:
            raise NoAnswer("no answer in time") from error
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise NoAnswer(f"the connection failed ({type(error).__name__})") from error
        if answer.status_code != 200:
            raise Refusal(answer.status_code, answer.headers, bytes(content))
        try:
            return json.loads(content)
        except ValueError as error:
            raise NoAnswer("the answer is not JSON") from error


def member(what: str, answer: Any, name: str, kind: type) -> Any:
    """A member of an answer. Members that this client does not know are ignored."""
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, kind):
        raise ApiError(f"{what}: /{name} of the answer is {type(found).__name__}, not {kind.__name__}")
    return found


def backoff(attempt: int, first: float) -> float:
    """At least `first` seconds, twice as long each time, and up to as much again by chance."""
    return first * 2 ** (attempt - 1) * random.uniform(1, 2)


def seconds(retry_after: str | None) -> float | None:
    """The header has a number of seconds or a date."""
    if retry_after is None:
        return None
    if retry_after.strip().isdigit():
        return float(retry_after)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
