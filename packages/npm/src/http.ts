// Calls of the admin API.

/** An answer of Standin that is an error, or a server that does not start. Its message is Standin's own. */
export class StandinError extends Error {
  override readonly name = "StandinError";
  /** The HTTP status; undefined where the server did not start. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

interface Refusal {
  error?: string;
  diagnostics?: readonly { text: string }[];
}

/** The admin API of a server. */
export class Admin {
  readonly url: string;
  readonly #token: string | undefined;

  constructor(url: string, token?: string) {
    this.url = url.replace(/\/+$/, "");
    this.#token = token;
  }

  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const text = await this.text(method, path, body === undefined ? undefined : JSON.stringify(body));
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  async text(method: string, path: string, body?: string): Promise<string> {
    const headers: Record<string, string> = this.#token ? { authorization: `Bearer ${this.#token}` } : {};
    let answer;
    try {
      answer = await fetch(`${this.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      throw new StandinError(`no answer from ${this.url}: ${reason(error)}`);
    }
    const text = await answer.text();
    if (!answer.ok) throw refused(answer.status, text);
    return text;
  }
}

function reason(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message ? cause.message : message;
}

/** The error's text, and below it those of all findings. */
function refused(status: number, text: string): StandinError {
  let body: Refusal | null;
  try {
    body = JSON.parse(text) as Refusal | null;
  } catch {
    // A proxy may have answered.
    return new StandinError(text.trim() || `status ${status}`, status);
  }
  const findings = (body?.diagnostics ?? []).map((finding) => finding.text);
  return new StandinError([body?.error ?? `status ${status}`, ...findings].join("\n\n"), status);
}

/** A path with parts that are escaped. */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.reduce((whole, part, place) => whole + encodeURIComponent(values[place - 1] ?? "") + part);
}

/** A query of the members that are given. */
export function query(members: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
