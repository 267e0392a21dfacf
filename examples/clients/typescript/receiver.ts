// A webhook receiver: it verifies signatures (Standard Webhooks), answers at once, and hands over each event once.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const TOLERANCE_S = 5 * 60; // How far a timestamp may be from the present.

export type Delivered = { eventId?: string; event?: string; data?: unknown };

export class Receiver {
  readonly #secret: Buffer | undefined;
  readonly #seen = new Set<string>(); // A real receiver keeps the ids in its database, for some days.
  readonly #handle: (event: Delivered) => void;
  readonly #server: Server;

  constructor(secret: string | undefined, handle: (event: Delivered) => void) {
    this.#secret = secret ? Buffer.from(secret.replace(/^whsec_/, ""), "base64") : undefined;
    this.#handle = handle;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      // A body that is broken off ends in an error instead. Its sender will send the event again.
      request.on("error", () => response.destroy());
      request.on("end", () => response.writeHead(this.receive(request.headers, Buffer.concat(chunks))).end());
    });
  }

  /** Listens on a free port of this machine, and returns the URL to subscribe. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve, reject) => this.#server.once("error", reject).listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Takes a delivery and returns the status to answer. Every event is accepted, also one of an unknown name. */
  receive(headers: IncomingHttpHeaders, body: Buffer): number {
    const header = (name: string) => headers[name]?.toString() ?? "";
    const [id, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
    if (this.#secret && !isSigned(this.#secret, `${id}.${timestamp}.`, body, header("webhook-signature"))) return 401;
    if (timestamp && !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S)) return 400;
    let event: Delivered;
    try {
      event = JSON.parse(body.toString());
    } catch {
      return 400;
    }
    const key = id || event?.eventId;
    if (typeof key !== "string") return 400;
    if (!this.#seen.has(key)) {
      this.#seen.add(key);
      setImmediate(this.#handle, event); // The answer does not wait for the work.
    }
    return 200;
  }
}

/** There are several signatures, with spaces between them, while a secret is being replaced. */
function isSigned(secret: Buffer, prefix: string, body: Buffer, signatures: string): boolean {
  const expected = Buffer.from("v1," + createHmac("sha256", secret).update(prefix).update(body).digest("base64"));
  return signatures.split(" ").some((one) => {
    const sent = Buffer.from(one);
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}
