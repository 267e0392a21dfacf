// Calls of openapi-fetch with the types that openapi-typescript makes of the document of the demo: the six operations, and
// routes of all kinds. It is compiled strictly, so that the types say what the calls need.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const [, , baseUrl = "", key = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { "x-api-key": key } });
let calls = 0;

/** The data of an answer, which must be one. */
function data<Data>(answer: { data?: Data; error?: unknown; response: Response }): Data {
  calls += 1;
  if (answer.data === undefined) {
    throw new Error(`${answer.response.url}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

function same(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) {
    throw new Error(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(expected)}`);
  }
}

const enterprise = { "x-business-number": "100" };
const days = { startDate: "01/01/2026", endDate: "06/30/2026" };

// The six operations.
const scores = data(await client.POST("/v1/insight/sentiment/locationInfo", {
  params: { header: enterprise, query: { "page-size": 3, "sort-by": "sentiment-score", "sort-order": 1 } },
  body: { businessNumbers: [100], userEmail: "owner@brightdental.test", ratings: ["1", 5], ...days },
}));
same("locations of a page", scores.dataPoints.length, 3);
const benchmark = data(await client.POST("/v1/insight/sentiment/scoreBenchmark", {
  params: { header: enterprise },
  body: { businessNumbers: ["100"], ...days },
}));
same("the score", typeof benchmark.actual.score, "number");
const saved = data(await client.POST("/v1/contact/external/preferences/saveCustomer", {
  params: { header: enterprise },
  body: { email: "typed@example.test", firstName: "Typed", businessIds: [1001], tags: ["generated"] },
}));
const reviews = data(await client.POST("/v1/review/businessId/{CompetitorEnterpriseBusinessId}", {
  params: { path: { CompetitorEnterpriseBusinessId: "200" }, query: { isCompetitor: true, count: 2 } },
  body: { statuses: ["published"], ratings: [5, "4"] },
}));
same("reviews of a page", reviews.length, 2);
const questions = data(await client.POST("/v1/qna/unanswered/get", { params: { query: { businessId: "100" } }, body: { pageSize: 2 } }));
same("questions of a page", questions.questionsAndAnswers.length, 2);
const subscribed = data(await client.POST("/v1/messenger/subscribe/webhook/event", {
  body: { apiKey: key, businessNumber: "100", endpoint: "http://127.0.0.1:9/hook", events: ["conversation.created"] },
}));

// Routes.
const path = { id: "100" };
const summary = data(await client.GET("/v1/review/businessid/{id}/summary", { params: { path, query: { statuses: ["published"] } } }));
same("reviews by rating", summary.ratings.reduce((sum, one) => sum + one.reviewCount, 0), summary.reviewCount);
const business = data(await client.GET("/v1/business/{id}", { params: { path } }));
same("reviews of the business", business.reviewCount, summary.reviewCount);
const children = data(await client.GET("/v1/business/child/all", { params: { query: { pid: "100" } } }));
same("reviews by child", summary.children?.length, children.length);
const rivals = data(await client.GET("/v1/business/{id}/competitors", { params: { path } }));
same("the first competitor", rivals[0]?.enterpriseId, 200);
const found = data(await client.POST("/v1/business/{id}/search", { params: { path }, body: { searchStr: "beaver", pageSize: 1 } }));
same("the business found", found.accounts[0]?.businessNumber, 1006);
const customer = data(await client.POST("/v1/customer-v2/external/getCustomer", { body: { email: "typed@example.test" } }));
same("the contact that was stored", customer.id, saved.id);
const customers = data(await client.POST("/v2/customer/list", { params: { query: { businessId: "100", page: 0, size: 5 } } }));
same("customers of a page", customers.customers.length, 5);
data(await client.GET("/v1/customer/all", { params: { query: { businessId: "100", sindex: 0, count: 10 } } }));
const removed = data(await client.DELETE("/v1/customer/id/{customerId}", { params: { path: { customerId: String(saved.id) } } }));
same("the contact that was removed", removed.email, "typed@example.test");
const id = String(subscribed.subscriptionId);
const subscriptions = data(await client.GET("/v1/subscriptions/list", { params: { header: enterprise } }));
same("the subscription", subscriptions.some((one) => one.id === id), true);
data(await client.GET("/v1/subscriptions/unsubscribe/{id}", { params: { path: { id }, query: { businessId: "100" } } }));
same("kinds of events", data(await client.GET("/v1/messenger/webhook/event")).length, 4);
const refused = await client.GET("/v1/business/{id}", { params: { path: { id: "999" } } });
same("the code of an unknown business", refused.error?.code, 1011);

console.log(`openapi-fetch: ${calls} calls`);
