// A client of the reputation API: a method for each operation, and one place that decides what is sent again.

import { setTimeout as sleep } from "node:timers/promises";

const CALL_MS = 10_000; // For one attempt: to connect, to send, and to receive the last byte of the answer.
const ATTEMPTS = 3;
const LONGEST_WAIT_MS = 60_000; // A service that asks for more has to wait for the next night.
const RATE_LIMITED = 89;

const REVIEWS_A_PAGE = 500;
const POINTS_A_PAGE = 100;
const QUESTIONS_A_PAGE = 25;
const WINDOW = 100_000; // The API lists no record beyond this one.

export type Contact = { externalId: string; email: string; firstName?: string; lastName?: string; businessIds: number[] };
export type Review = { reviewId: string; rating: number; comments: string | null };
export type Question = { questionId: number; question: string };
export type Point = { id: number; name: string; score: number; mentions: number };
export type Benchmark = { score: number; industryScore: number };
export type Range = { startDate: string; endDate: string };

/** Ends the job. Its message is one line for a person. */
export class ApiError extends Error {}

/** Nothing usable came back, so the request may or may not have taken effect. */
class NoAnswer extends Error {}

/** The API answered, and the answer is an error. */
class Refusal extends Error {
  readonly limited: boolean;
  readonly temporary: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, headers: Headers, text: string) {
    const { code, message } = parseError(text);
    super(code === undefined ? `HTTP ${status}` : `${code} ${message} (HTTP ${status})`);
    // A 429 alone says little: 1027 is one as well, and no repetition makes a wrong number right.
    this.limited = code === RATE_LIMITED || (status === 429 && code === undefined);
    this.temporary = this.limited || status >= 500;
    this.retryAfterMs = parseRetryAfter(headers.get("retry-after"));
  }
}

export class Api {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #business: number;

  constructor(baseUrl: string, key: string, business: number) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#key = key;
    this.#business = business;
  }

  /** Creates the contact, or updates the one with the same externalId. So it is safe to repeat. */
  async saveContact(contact: Contact): Promise<number> {
    const answer = await this.#call("contact", "/v1/contact/external/preferences/saveCustomer", contact);
    return member(answer, "contact", "id", isNumber);
  }

  /** All published reviews of the business. The list has no total: a page that is not full is the last one. */
  async *reviews(): AsyncGenerator<Review> {
    for (let start = 0; ; start += REVIEWS_A_PAGE) {
      if (start + REVIEWS_A_PAGE > WINDOW) {
        throw new ApiError(`reviews: there are more than ${WINDOW}; narrow the list by dates or locations`);
      }
      const page = await this.#call("reviews", `/v1/review/businessId/${this.#business}?sindex=${start}&count=${REVIEWS_A_PAGE}`, {});
      if (!Array.isArray(page)) throw new ApiError("reviews: the answer is not a list");
      for (const review of page) member(review, "reviews", "reviewId", isString);
      yield* page;
      if (page.length < REVIEWS_A_PAGE) return;
    }
  }

  questions(): AsyncGenerator<Question> {
    const path = `/v1/qna/unanswered/get?businessId=${this.#business}`;
    return this.#pages("questions", "questionsAndAnswers", "questionId", (startIndex) => [path, { startIndex, pageSize: QUESTIONS_A_PAGE }]);
  }

  locationScores(range: Range, userEmail: string): AsyncGenerator<Point> {
    const path = "/v1/insight/sentiment/locationInfo";
    const body = { businessNumbers: [this.#business], ...range, userEmail };
    return this.#pages("locations", "dataPoints", "id", (start) => [`${path}?start-index=${start}&page-size=${POINTS_A_PAGE}`, body]);
  }

  async benchmark(range: Range): Promise<Benchmark> {
    const body = { businessNumbers: [this.#business], ...range };
    const actual = member(await this.#call("benchmark", "/v1/insight/sentiment/scoreBenchmark", body), "benchmark", "actual", isObject);
    return { score: member(actual, "benchmark", "score", isNumber), industryScore: member(actual, "benchmark", "industryScore", isNumber) };
  }

  /** Every call makes another subscription, so it is not repeated when its answer is lost. */
  async subscribe(endpoint: string, events: string[]): Promise<number> {
    const body = { businessNumber: String(this.#business), apiKey: this.#key, events, endpoint };
    const answer = await this.#call("subscription", "/v1/messenger/subscribe/webhook/event", body, { repeatable: false });
    return member(answer, "subscription", "subscriptionId", isNumber);
  }

  async *#pages<T>(what: string, name: string, id: string, request: (start: number) => [string, object]): AsyncGenerator<T> {
    for (let start = 0, total = 1; start < total; ) {
      const answer = await this.#call(what, ...request(start));
      const page = member(answer, what, name, (found): found is T[] => Array.isArray(found));
      total = member(answer, what, "totalCount", isNumber);
      for (const record of page) member(record, what, id, isNumber);
      yield* page;
      start += page.length;
      if (page.length === 0 && start < total) throw new ApiError(`${what}: the list ended at ${start}, but its total is ${total}`);
    }
  }

  async #call(what: string, path: string, body: object, { repeatable } = { repeatable: true }): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      let wait: number;
      let problem: string;
      try {
        return await this.#attempt(path, body);
      } catch (error) {
        if (error instanceof Refusal) {
          problem = error.message;
          if (!error.temporary) throw new ApiError(`${what}: ${problem}`);
          // A little later than asked, so that not all clients come back in the same moment.
          wait = error.retryAfterMs === undefined ? backoff(attempt, error.limited ? 600 : 200) : error.retryAfterMs + 50 + Math.random() * 200;
        } else if (error instanceof NoAnswer) {
          problem = error.message;
          if (!repeatable) throw new ApiError(`${what}: ${problem}; it may have taken effect, so it is not sent again`);
          wait = backoff(attempt, 200);
        } else {
          throw error;
        }
      }
      if (wait > LONGEST_WAIT_MS) throw new ApiError(`${what}: ${problem}, and the API asks to wait for ${Math.round(wait / 1000)} s`);
      if (attempt === ATTEMPTS) throw new ApiError(`${what}: gave up after ${ATTEMPTS} tries: ${problem}`);
      await sleep(wait);
    }
  }

  async #attempt(path: string, body: object): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#baseUrl + path, {
        method: "POST",
        // The key travels in this header and in no URL. A redirect is not followed, because the key would go with it.
        headers: { "content-type": "application/json", "x-api-key": this.#key, "x-business-number": String(this.#business) },
        redirect: "manual",
        body: JSON.stringify(body),
        // The signal also limits the time of the body, so it has to be read here, whole. fetch fails if the body is
        // shorter than its content-length.
        signal: AbortSignal.timeout(CALL_MS),
      });
      text = await response.text();
    } catch (error) {
      throw new NoAnswer(error instanceof Error && error.name === "TimeoutError" ? "no answer in time" : "the connection failed");
    }
    if (response.status !== 200) throw new Refusal(response.status, response.headers, text);
    try {
      return JSON.parse(text);
    } catch {
      throw new NoAnswer("the answer is not JSON");
    }
  }
}

/** At least `first` milliseconds, twice as long each time, and up to as much again by chance. */
function backoff(attempt: number, first: number): number {
  return first * 2 ** (attempt - 1) * (1 + Math.random());
}

/** The header has a number of seconds or a date. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The code and message of an error; neither if the text is that of a gateway. */
function parseError(text: string): { code?: number; message?: string } {
  try {
    const { code, message } = JSON.parse(text);
    return { code, message };
  } catch {
    return {};
  }
}

/** A member of an answer. Members that this client does not know are ignored. */
function member<T>(answer: unknown, what: string, name: string, is: (found: unknown) => found is T): T {
  const found = isObject(answer) ? answer[name] : undefined;
  if (!is(found)) throw new ApiError(`${what}: ${name} of an answer is ${found === null ? "null" : typeof found}`);
  return found;
}

const isString = (found: unknown): found is string => typeof found === "string";
const isNumber = (found: unknown): found is number => typeof found === "number";
const isObject = (found: unknown): found is Record<string, unknown> => typeof found === "object" && found !== null;
