// undici's RetryAgent: doubling waits, and Retry-After, which it keeps by itself. It has no random part, so that each request has an
// agent of its own with another first wait; they share the connections.
import { Agent, request, RetryAgent } from "undici";
import { headers, retries, work } from "./job.mjs";

const connections = new Agent({ headersTimeout: 5000, bodyTimeout: 5000 });
const dispatcher = () =>
  new RetryAgent(connections, {
    maxRetries: retries,
    minTimeout: 200 + 200 * Math.random(),
    methods: ["POST"],
    statusCodes: [429, 500, 502, 503, 504],
  });

await work(async (url, body) => {
  const answer = await request(url, { method: "POST", headers, body: JSON.stringify(body), dispatcher: dispatcher() });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode}`);
  return text;
});
