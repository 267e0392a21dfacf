"""Calls of the client that openapi-python-client makes of the document of the demo: the six operations, and routes of all kinds."""

import sys

from pyclient import AuthenticatedClient
from pyclient.api.default import (
    contact,
    qna,
    reviews,
    routebusiness,
    routebusiness_children,
    routebusiness_competitors,
    routebusiness_search,
    routecustomer,
    routecustomer_list,
    routecustomers_all,
    routedelete_customer,
    routereview_summaryget,
    routesubscriptions,
    routeunsubscribeget,
    routewebhook_events,
    sentiment_benchmark,
    sentiment_locations,
    subscribe,
)
from pyclient.models import (
    ContactRequest,
    Error,
    QnaRequest,
    ReviewsRequest,
    RoutebusinessSearchBody,
    RoutecustomerBody,
    SentimentBenchmarkRequest,
    SentimentLocationsRequest,
    SubscribeRequest,
    SubscribeRequestEventsItem,
)

base_url, key = sys.argv[1:]
client = AuthenticatedClient(base_url, token=key, prefix="", auth_header_name="x-api-key", raise_on_unexpected_status=True)
calls = 0


def parsed(operation, *values, **named):
    """What an operation answers, which must be no error."""
    global calls
    calls += 1
    answer = operation.sync_detailed(*values, client=client, **named)
    assert answer.status_code == 200 and not isinstance(answer.parsed, Error), (operation.__name__, answer)
    return answer.parsed


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


days = {"start_date": "01/01/2026", "end_date": "06/30/2026"}

# The six operations.
scores = parsed(
    sentiment_locations,
    x_business_number="100",
    page_size=3,
    body=SentimentLocationsRequest(business_numbers=[100], user_email="owner@brightdental.test", ratings=[5], **days),
)
same(len(scores.data_points), 3)
benchmark = parsed(sentiment_benchmark, x_business_number="100", body=SentimentBenchmarkRequest(business_numbers=["100"], **days))
assert isinstance(benchmark.actual.score, (int, float))
saved = parsed(
    contact,
    x_business_number="100",
    body=ContactRequest(email="typed@example.test", first_name="Typed", business_ids=[1001], tags=["generated"]),
)
same(len(parsed(reviews, "200", is_competitor=True, count=2, body=ReviewsRequest(ratings=[5, 4]))), 2)
same(len(parsed(qna, business_id="100", body=QnaRequest(page_size=2)).questions_and_answers), 2)
event = SubscribeRequestEventsItem("conversation.created")
request = SubscribeRequest(api_key=key, business_number="100", endpoint="http://127.0.0.1:9/hook", events=[event])
subscribed = parsed(subscribe, body=request)

# Routes.
summary = parsed(routereview_summaryget, "100", statuses=["published"])
same(sum(one.review_count for one in summary.ratings), summary.review_count)
same(parsed(routebusiness, "100").review_count, summary.review_count)
same(len(parsed(routebusiness_children, pid="100")), len(summary.children))
same(parsed(routebusiness_competitors, "100")[0].enterprise_id, 200)
found = parsed(routebusiness_search, "100", body=RoutebusinessSearchBody(search_str="beaver", page_size=1))
same(found.accounts[0].business_number, 1006)
same(parsed(routecustomer, body=RoutecustomerBody(email="typed@example.test")).id, saved.id)
same(len(parsed(routecustomer_list, business_id="100", page=0, size=5).customers), 5)
parsed(routecustomers_all, business_id="100", sindex=0, count=10)
same(parsed(routedelete_customer, str(saved.id)).email, "typed@example.test")
identity = str(subscribed.subscription_id)
assert any(one.id == identity for one in parsed(routesubscriptions, x_business_number="100"))
parsed(routeunsubscribeget, identity, business_id="100")
same(len(parsed(routewebhook_events)), 4)
same(routebusiness.sync("999", client=client).code, 1011)

print(f"openapi-python-client: {calls} calls")
