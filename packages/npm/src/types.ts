// What scenarios, the journal and reports are made of, as the admin API has it.

/** An operation of the simulated API, or a route of the scenario. */
export type Operation =
  | "sentiment-locations"
  | "sentiment-benchmark"
  | "contact"
  | "reviews"
  | "qna"
  | "subscribe"
  | `route:${string}`;

/** A code of the simulated API's errors. */
export type ErrorCode =
  | 89
  | 404
  | 405
  | 413
  | 415
  | 500
  | 1011
  | 1027
  | 1161
  | 1163
  | 1164
  | 1167
  | 1186
  | 1187
  | 1227
  | 1228
  | 1532
  | 2003
  | 2151
  | 2466
  | 5008
  | 5043
  | 20099;

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A duration: `250ms`, `2s`, `5m` or `1h`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

/** A number from 0 to 2^53 - 1, or one that is drawn. */
export type Seed = number | "random";

type OneOrMore<T> = T | readonly T[];
type Scalar = string | number | boolean;

/** Condition on a request. All members must match; of a list of values, one must match. */
export interface When {
  key?: OneOrMore<string>;
  business?: OneOrMore<number>;
  fingerprint?: OneOrMore<string>;
  header?: Readonly<Record<string, OneOrMore<Scalar>>>;
  query?: Readonly<Record<string, OneOrMore<Scalar>>>;
  /** JSON Pointers into the body and the values there. */
  body?: Readonly<Record<string, Json>>;
}

/** Effect of a fault: one of `error`, `status`, `connection`, `body` and `lost`; `delay` and `headers` go with any or stand alone. */
export interface Then {
  error?: ErrorCode | { code: ErrorCode; status?: number; message?: string };
  /** With `error`: value of the header `retry-after`. */
  retry_after?: Duration;
  status?: number;
  /** With `status`: the body. */
  json?: Json;
  text?: string;
  connection?: "reset" | "close" | "stall" | "garbage";
  /** With `connection: "stall"`: for how long. */
  for?: Duration;
  /** Changes of the real answer's body: see docs/faults.md. */
  body?: Json;
  lost?: "reset";
  delay?: Duration | `${Duration}-${Duration}` | { median: Duration; p99: Duration };
  headers?: Json;
}

/** A fault, as in a scenario file. */
export interface Fault {
  name?: string;
  operation?: OneOrMore<Operation>;
  when?: When;
  /** Which requests share one counter. Default: `world`. */
  per?: "world" | "key" | "request";
  /** Which of the counted requests: `3`, `"1-2"`, `"4-"`, `"every 5"`. Default: all. */
  hits?: OneOrMore<number | string>;
  chance?: number | `${number}%`;
  exactly?: `${number} of ${number}`;
  during?: string;
  enabled?: boolean;
  on_request?: boolean;
  then: Then;
}

/** A fault with its name. */
export type NamedFault = Fault & { name: string };

/** A fault of a world. */
export interface FaultState {
  name: string;
  enabled: boolean;
  /** The number of requests that it applied to. */
  hitCount: number;
  source: "file" | "admin";
  fault: NamedFault;
}

/** Start and mode of a world's clock. */
export interface ClockStart {
  start?: string;
  mode?: "running" | "frozen";
}

/** A world's clock. */
export interface ClockState {
  now: string;
  start: string;
  mode: "running" | "frozen";
  /** Whether something that fell due is still under way. */
  pending?: unknown;
}

/** Condition on a call: that of a request, and its answer. */
export interface Request extends When {
  operation?: OneOrMore<Operation>;
  status?: OneOrMore<number>;
  code?: OneOrMore<ErrorCode>;
  fault?: OneOrMore<string>;
}

/** How many: `3`, `"1-2"` or `"4-"`. */
export type Count = number | string;

/** What is expected of the client, as in a scenario's `expect`: see docs/expectations.md. */
export type Expectation = { name?: string } & (
  | {
      after: { error: ErrorCode; operation?: Operation } | { status: number; operation?: Operation } | { fault: string; operation?: Operation };
      wait?: "retry-after" | Duration | `${Duration}-${Duration}`;
      retries?: Count;
      grows?: number;
      of?: "request" | "key";
    }
  | { requests: Request; count?: Count }
  | { order: readonly Request[] }
  | { pages: Request }
  | { contacts: Readonly<Record<string, Json>>; count?: Count }
  | { subscriptions: Readonly<Record<string, Json>>; count?: Count }
  | { deliveries: Readonly<Record<string, Json>>; count?: Count; acknowledged?: number | `${number}%`; within?: Duration }
);

/** The call that agrees most with an expectation, or the one that broke it. */
export interface Nearest {
  /** Its `seq` in the journal. */
  call: number;
  members: readonly { member: string; expected: Json; received: Json; agrees: boolean }[];
}

/** How an expectation was met. */
export interface ExpectationResult {
  name: string;
  passed: boolean;
  message: string;
  nearest: Nearest | null;
}

/** The answer to `verify`. */
export interface Verification {
  passed: boolean;
  results: readonly ExpectationResult[];
}

/** An entry of the request journal: see docs/journal.md. */
export interface Call {
  seq: number;
  at: string;
  elapsedMs: number;
  world: string;
  operation: Operation | null;
  key: string | null;
  fingerprint: string;
  attempt: number;
  connection: number;
  method: string;
  path: string;
  query: Readonly<Record<string, Json>>;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body: Json;
  /** Null where a fault sent no answer. */
  status: number | null;
  code: ErrorCode | null;
  response: { headers: Readonly<Record<string, string | readonly string[]>>; body: Json } | null;
  fault: string | null;
  decision: Json;
  durationMs: number | null;
  answeredMs: number | null;
  hungUpMs: number | null;
  notes: readonly string[];
}

/** Which calls of the journal. All members must match. */
export interface CallFilter {
  operation?: Operation;
  status?: number;
  code?: ErrorCode;
  /** `demo`, `key:demo` or the key itself. */
  key?: string;
  fault?: string;
  /** Only calls after this `seq`. */
  after?: number;
  /** The newest so many. Default: 10,000, the most there can be. */
  limit?: number;
}

/** The judgement of one rule of the scorecard. */
export interface Rule {
  id: string;
  title: string;
  verdict: "pass" | "warn" | "fail" | "not exercised";
  message: string;
  findings: readonly { verdict: "warn" | "fail"; calls: readonly number[]; message: string }[];
  mend: string;
  source: string;
  exercise: string | null;
}

/** What the client of a world did well and badly: see docs/scorecard.md. */
export interface Report {
  standin: 1;
  report: "run";
  scenario: string;
  seed: number;
  world: string;
  verdict: "pass" | "fail" | "incomplete";
  incomplete: boolean;
  dropped: number;
  calls: number;
  transportRetries: number;
  expectations: readonly ExpectationResult[];
  rules: readonly Rule[];
  faults: readonly { name: string; struck: number; then: readonly { call: number; did: string; next: number | null; afterMs: number | null }[] }[];
  coverage: { met: number; of: number; pairs: readonly { operation: Operation; code: ErrorCode | null; calls: number }[] };
}

/** What a world starts with. */
export interface WorldOptions {
  /** Default: `world-1`, `world-2` … */
  name?: string;
  /** A scenario that the server serves, or one of the program. Default: that of the server. */
  scenario?: string;
  /** Default: that of `start`, else the scenario's. */
  seed?: Seed;
  /** Faults in addition to the scenario's. */
  faults?: readonly NamedFault[];
  clock?: ClockStart;
}
