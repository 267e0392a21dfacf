// What the test runners share.

import { randomBytes } from "node:crypto";
import { connect, start, type Standin, type StartOptions, type World } from "./index.js";

/** The server of `standin run` if there is one, else one that is started; its scenario is the option's, else STANDIN_SCENARIO. */
export function acquire(options: StartOptions): Promise<Standin> {
  const { seed } = options;
  if (process.env["STANDIN_BASE_URL"]) return connect(seed === undefined ? {} : { seed });
  const scenario = options.scenario ?? process.env["STANDIN_SCENARIO"];
  return start({ ...options, ...(scenario ? { scenario } : {}) });
}

/** A world's name that says which test it belongs to, and that no other test has. */
export function worldName(title: string): string {
  const words = title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40).replace(/^-+|-+$/g, "");
  return `${words || "test"}-${randomBytes(5).toString("hex")}`;
}

/** The calls of a world, one a line. */
export async function callLines(world: World): Promise<string> {
  const calls = await world.calls({ limit: 50 });
  const lines = calls.map(({ seq, method, path, status, code, fault, notes }) => {
    const answer = status === null ? "no answer" : `${status}${code === null ? "" : ` code ${code}`}`;
    const remarks = [...(fault === null ? [] : [`fault ${fault}`]), ...notes].map((remark) => `\n       ${remark}`);
    return `  ${String(seq).padStart(3)}  ${method} ${path}  ${answer}${remarks.join("")}`;
  });
  return lines.length === 0 ? "  no calls" : lines.join("\n");
}
