// Starts Standin, or connects to one that runs, and makes worlds in it.

import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { binary } from "./binary.js";
import { Admin, StandinError, path, query } from "./http.js";
import type {
  Call,
  CallFilter,
  ClockState,
  Duration,
  Expectation,
  Fault,
  FaultState,
  Json,
  Report,
  Seed,
  Verification,
  WorldOptions,
} from "./types.js";

export { StandinError } from "./http.js";
export type * from "./types.js";

/** How to start a server. */
export interface StartOptions {
  /** A scenario file or a folder, else the name of a scenario in `scenarios/` or of the program. Default: as `standin serve`. */
  scenario?: string;
  /** The seed of the default world and of worlds that are made without one. */
  seed?: Seed;
  /** Default: a free one. */
  port?: number;
  /** Instant that stands in for the system's clock, such as `2026-06-30T17:00:00Z`. */
  now?: string;
  /** Working directory of the server, from which paths are read. Default: that of this process. */
  cwd?: string;
  /** Further flags of `standin serve`. */
  flags?: readonly string[];
}

/** Where a server is that runs already. */
export interface ConnectOptions {
  /** Default: `STANDIN_BASE_URL`, which `standin run` sets. */
  baseUrl?: string;
  /** Default: `STANDIN_ADMIN_URL`, else `/__admin` of the same host. */
  adminUrl?: string;
  /** Default: `STANDIN_ADMIN_TOKEN`. */
  adminToken?: string;
  /** The seed of worlds that are made without one. */
  seed?: Seed;
}

interface Created {
  name: string;
  baseUrl: string;
  apiKey: string;
  seed: number;
}

/** A server. */
export class Standin {
  /** The base URL of the default world, without a slash at its end. */
  readonly baseUrl: string;
  /** The address of the admin API. */
  readonly adminUrl: string;
  readonly #admin: Admin;
  readonly #seed: Seed | undefined;
  readonly #stop: () => Promise<void>;

  /** Use `start` or `connect`. */
  constructor(baseUrl: string, admin: Admin, seed: Seed | undefined, stop: () => Promise<void>) {
    this.baseUrl = baseUrl;
    this.adminUrl = admin.url;
    this.#admin = admin;
    this.#seed = seed;
    this.#stop = stop;
  }

  /** Makes a world: an isolated run of a scenario, with its own data, clock, faults and journal. */
  async world(options: WorldOptions = {}): Promise<World> {
    const seed = options.seed ?? this.#seed;
    const body = { ...options, ...(seed === undefined ? {} : { seed }) };
    const made = await this.#admin.json<Created>("POST", "/worlds", body);
    return new World(this.#admin, made);
  }

  /** Adds or replaces a scenario; the text is YAML, with paths relative to the server's root. */
  async putScenario(name: string, yaml: string): Promise<void> {
    await this.#admin.text("PUT", path`/scenarios/${name}`, yaml);
  }

  /** Stops the server, if `start` has started it. It stops with its process anyway. */
  stop(): Promise<void> {
    return this.#stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The faults of a world. */
export class Faults {
  readonly #admin: Admin;
  readonly #world: string;

  /** Use `world.faults`. */
  constructor(admin: Admin, world: string) {
    this.#admin = admin;
    this.#world = world;
  }

  /** The faults in the order in which they are considered. */
  list(): Promise<FaultState[]> {
    return this.#admin.json("GET", `${path`/worlds/${this.#world}`}/faults`);
  }

  /** Adds a fault in front of all others, or replaces the one of its name. */
  async put(name: string, fault: Fault): Promise<FaultState> {
    return this.#admin.json("PUT", path`/worlds/${this.#world}/faults/${name}`, fault);
  }

  /** Turns a fault on or off. */
  async enable(name: string, enabled = true): Promise<FaultState> {
    return this.#admin.json("PATCH", path`/worlds/${this.#world}/faults/${name}`, { enabled });
  }

  /** Removes a fault. */
  async remove(name: string): Promise<void> {
    await this.#admin.text("DELETE", path`/worlds/${this.#world}/faults/${name}`);
  }
}

/** An isolated run of a scenario. */
export class World {
  readonly name: string;
  /** The base URL by which a client reaches this world. */
  readonly baseUrl: string;
  /** A key that leads to this world by any base URL of the server; it covers all accounts and has no rate limit. */
  readonly apiKey: string;
  readonly faults: Faults;
  readonly #admin: Admin;
  #seed: number;

  /** Use `standin.world()`. */
  constructor(admin: Admin, { name, baseUrl, apiKey, seed }: Created) {
    this.name = name;
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
    this.faults = new Faults(admin, name);
    this.#admin = admin;
    this.#seed = seed;
  }

  /** The seed of the world's data and random choices. */
  get seed(): number {
    return this.#seed;
  }

  /** The header by which a request that passes through an application reaches this world: W3C Baggage. */
  get baggage(): string {
    return `standin.world=${this.name}`;
  }

  /** The calls of the world's clients, in order. */
  calls(filter: CallFilter = {}): Promise<Call[]> {
    return this.#get(`/requests${query({ limit: 10_000, ...filter })}`);
  }

  /** The calls as an HTTP archive. */
  har(filter: CallFilter = {}): Promise<Json> {
    return this.#get(`/requests.har${query({ limit: 10_000, ...filter })}`);
  }

  /** Checks what is expected of the client, by default what the scenario expects. `within` waits for what is still to come. */
  verify(expectations: readonly Expectation[] = [], { within }: { within?: Duration } = {}): Promise<Verification> {
    return this.#admin.json("POST", `${this.#path}/verify${query({ within })}`, expectations);
  }

  /** What the client did well and badly. */
  report(): Promise<Report> {
    return this.#get("/report");
  }

  /** Takes the world back to its start. */
  async reset({ seed }: { seed?: Seed } = {}): Promise<void> {
    const reset = await this.#admin.json<{ seed: number }>("POST", `${this.#path}/reset`, seed === undefined ? {} : { seed });
    this.#seed = reset.seed;
  }

  /** The world's clock. */
  clock(): Promise<ClockState> {
    return this.#get("/clock");
  }

  /** Moves the world's clock forward; what falls due happens before the answer. */
  advance(duration: Duration): Promise<ClockState> {
    return this.#admin.json("POST", `${this.#path}/clock`, { advance: duration });
  }

  /** Emits a webhook event. */
  emit(event: { event: string; business: number; conversation?: string; text?: string; data?: Json }): Promise<{ eventId: string; deliveries: number }> {
    return this.#admin.json("POST", `${this.#path}/events`, event);
  }

  /** What the world holds, in the API's field names. */
  stored(list: "contacts" | "subscriptions" | "deliveries" | "reviews" | "questions", { business }: { business?: number } = {}): Promise<Record<string, Json>[]> {
    return this.#get(`/${list}${query({ limit: 10_000, business })}`);
  }

  /** Removes the world. */
  async remove(): Promise<void> {
    await this.#admin.text("DELETE", this.#path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }

  get #path(): string {
    return path`/worlds/${this.name}`;
  }

  #get<T>(rest: string): Promise<T> {
    return this.#admin.json("GET", this.#path + rest);
  }
}

/** Variables that are flags of `standin serve`, which `start` sets itself. */
const FLAGS = ["PORT", "HOST", "LOG", "QUIET", "DEFAULT", "ADMIN_TOKEN", "UNTIL_EOF", "GRACE", "BASE_URL", "ADMIN_URL"];
/** How long a server may take to stop, in milliseconds. */
const STOP = 10_000;

/** Starts a server that ends with this process. It rejects with the loader's own text if the scenario has an error. */
export async function start(options: StartOptions = {}): Promise<Standin> {
  const { scenario, seed, port = 0, now, cwd, flags = [] } = options;
  const env = { ...process.env };
  for (const name of FLAGS) delete env[`STANDIN_${name}`];
  const wanted = ["--port", String(port), "--log", "json", "--quiet", "--until-eof", "--grace", "1", ...(now ? ["--now", now] : [])];
  const paths = scenario === undefined ? [] : ["--", scenario];
  const child = spawn(binary(), ["serve", ...wanted, ...flags, ...paths], { env, stdio: "pipe", ...(cwd ? { cwd } : {}) });
  // Nobody reads what the server says on the way, and none of this keeps the process alive.
  child.stdin.on("error", () => {});
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const baseUrl = await listening(child, child.stdout, child.stderr);
  child.stdout.resume();
  child.stderr.on("data", (text: Buffer) => process.stderr.write(text));
  for (const held of [child, child.stdin, child.stdout, child.stderr]) (held as { unref?: () => void }).unref?.();
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    child.stdin.end();
    const late = setTimeout(() => child.kill("SIGKILL"), STOP);
    await exited;
    clearTimeout(late);
  };
  const admin = new Admin(`${baseUrl}/__admin`);
  if (seed !== undefined) await admin.json("POST", "/worlds/default/reset", { seed });
  return new Standin(baseUrl, admin, seed, stop);
}

/** Waits for the line that says where the server listens. */
function listening(child: ChildProcess, stdout: Readable, stderr: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const output = { out: "", err: "" };
    const onOut = (text: string) => {
      output.out += text;
      const line = output.out.split("\n").slice(0, -1).find((line) => line.includes('"listening"'));
      if (line === undefined) return;
      stdout.off("data", onOut);
      stderr.off("data", onErr);
      resolve((JSON.parse(line) as { baseUrl: string }).baseUrl.replace(/\/+$/, ""));
    };
    const onErr = (text: string) => (output.err += text);
    stdout.setEncoding("utf8").on("data", onOut);
    stderr.setEncoding("utf8").on("data", onErr);
    child.once("error", (error) => reject(new StandinError(`cannot run ${child.spawnfile}: ${error.message}`)));
    child.once("close", (code, signal) => {
      const how = signal ? `signal ${signal}` : `exit code ${code}`;
      reject(new StandinError((output.err + output.out).trim() || `the server ended with ${how}`));
    });
  });
}

/** Connects to a server that runs already, by default the one of `standin run`. */
export async function connect(options: ConnectOptions = {}): Promise<Standin> {
  const { env } = process;
  const baseUrl = (options.baseUrl ?? env["STANDIN_BASE_URL"])?.replace(/\/+$/, "");
  if (!baseUrl) throw new StandinError("there is no base URL: pass baseUrl, or run the command under `standin run`");
  const own = options.baseUrl === undefined ? env["STANDIN_ADMIN_URL"] : undefined;
  const adminUrl = options.adminUrl ?? own ?? new URL("/__admin", baseUrl).href;
  const admin = new Admin(adminUrl, options.adminToken ?? env["STANDIN_ADMIN_TOKEN"]);
  await admin.json("GET", "/health");
  return new Standin(baseUrl, admin, options.seed, async () => {});
}
