// The nightly sync: stores a contact, reads reviews, questions and scores, and subscribes a webhook receiver.
// It exits with 0 when all of it is done, else with 1 and one line that says why.

import { setTimeout as sleep } from "node:timers/promises";
import { Api, ApiError, type Contact } from "./api.ts";
import { Receiver } from "./receiver.ts";

const CONTACT = { externalId: "nightly-sync-1", firstName: "Nora", lastName: "Night", email: "nora.night@mail.test" };
const EVENTS = ["conversation.created", "conversation.updated", "message.added", "conversation.closed"];
const QUIET_MS = 3_000; // The job waits for events until none has come for so long.
const LONGEST_LISTENING_MS = 20_000;
const DAY_MS = 24 * 60 * 60 * 1000;

async function main(): Promise<void> {
  const business = Number(setting("STANDIN_BUSINESS_NUMBER"));
  if (!Number.isSafeInteger(business)) throw new ApiError("STANDIN_BUSINESS_NUMBER is not a number");
  const api = new Api(setting("STANDIN_BASE_URL"), setting("STANDIN_API_KEY"), business);
  // The scores are read in the name of a user of the account. This one belongs to the scenario `demo`.
  const user = process.env.STANDIN_USER_EMAIL || "owner@brightdental.test";
  const range = { startDate: date(Date.now() - 90 * DAY_MS), endDate: date(Date.now()) };

  const contact: Contact = { ...CONTACT, businessIds: [business] };
  console.log("contact", await api.saveContact(contact));

  // By id, because a review that arrives while we read moves the others to later pages.
  const reviews = new Map<string, object>();
  for await (const review of api.reviews()) reviews.set(review.reviewId, review);
  console.log(reviews.size, "reviews");

  const questions = new Map<number, object>();
  for await (const question of api.questions()) questions.set(question.questionId, question);
  console.log(questions.size, "unanswered questions");

  let [locations, mentions] = [0, 0];
  for await (const point of api.locationScores(range, user)) {
    locations += 1;
    mentions += point.mentions;
  }
  console.log(locations, "locations,", mentions, "mentions in 90 days");

  const { score, industryScore } = await api.benchmark(range);
  console.log("score", score, "industry", industryScore);

  let events = 0;
  let quietSince = Date.now();
  const receiver = new Receiver(process.env.WEBHOOK_SECRET, () => {
    events += 1;
    quietSince = Date.now();
  });
  try {
    console.log("subscription", await api.subscribe(await receiver.listen(), EVENTS));
    const end = Date.now() + LONGEST_LISTENING_MS;
    quietSince = Date.now();
    while (Date.now() < Math.min(end, quietSince + QUIET_MS)) await sleep(100);
    console.log(events, "events");
  } finally {
    receiver.close();
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new ApiError(`${name} is not set`);
  return value;
}

/** MM/DD/YYYY in UTC. */
function date(ms: number): string {
  const [year, month, day] = new Date(ms).toISOString().slice(0, 10).split("-");
  return `${month}/${day}/${year}`;
}

main().catch((error: unknown) => {
  if (error instanceof ApiError) console.error(`nightly sync failed: ${error.message}`);
  else console.error("nightly sync failed: an answer has an unexpected shape:", String(error));
  process.exitCode = 1;
});
