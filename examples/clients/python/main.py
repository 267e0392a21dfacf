"""The nightly sync: stores a contact, reads reviews, questions and scores, and subscribes a webhook receiver.

It exits with 0 when all of it is done, else with 1 and one line that says why.
"""

from __future__ import annotations

import os
import queue
import sys
import time
from datetime import datetime, timedelta, timezone

from api import Api, ApiError
from receiver import Receiver

CONTACT = {"externalId": "nightly-sync-1", "firstName": "Nora", "lastName": "Night", "email": "nora.night@mail.test"}
EVENTS = ["conversation.created", "conversation.updated", "message.added", "conversation.closed"]
QUIET_SECONDS = 3  # The job waits for events until none has come for so long.
LONGEST_LISTENING = 20


def main() -> None:
    number = setting("STANDIN_BUSINESS_NUMBER")
    if not number.isdigit():
        raise ApiError(f"STANDIN_BUSINESS_NUMBER is not a number: {number}")
    business = int(number)
    api = Api(setting("STANDIN_BASE_URL"), setting("STANDIN_API_KEY"), business)
    # The scores are read in the name of a user of the account. This one belongs to the scenario `demo`.
    user = os.environ.get("STANDIN_USER_EMAIL") or "owner@brightdental.test"
    today = datetime.now(timezone.utc)
    dates = f"{today - timedelta(days=90):%m/%d/%Y}", f"{today:%m/%d/%Y}"

    print("contact", api.save_contact(CONTACT | {"businessIds": [business]}))

    # By id, because a review that arrives while we read moves the others to later pages.
    reviews = {review["reviewId"]: review for review in api.reviews()}
    print(len(reviews), "reviews")

    questions = {question["questionId"]: question for question in api.questions()}
    print(len(questions), "unanswered questions")

    scores = list(api.location_scores(*dates, user))
    print(len(scores), "locations,", sum(point["mentions"] for point in scores), "mentions in 90 days")

    benchmark = api.benchmark(*dates)
    print("score", benchmark["score"], "industry", benchmark["industryScore"])

    receiver = Receiver(os.environ.get("WEBHOOK_SECRET"))
    try:
        print("subscription", api.subscribe(receiver.url, EVENTS))
        print(count_events(receiver), "events")
    finally:
        receiver.close()


def count_events(receiver: Receiver) -> int:
    count, end = 0, time.monotonic() + LONGEST_LISTENING
    while time.monotonic() < end:
        try:
            receiver.events.get(timeout=QUIET_SECONDS)
        except queue.Empty:
            break
        count += 1
    return count


def setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ApiError(f"{name} is not set")
    return value


if __name__ == "__main__":
    try:
        main()
    except ApiError as error:
        sys.exit(f"nightly sync failed: {error}")
    except (KeyError, TypeError) as error:
        sys.exit(f"nightly sync failed: an answer has an unexpected shape: {error!r}")
