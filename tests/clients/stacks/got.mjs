// got: its own waits with noise, and Retry-After, which it keeps by itself.
import got from "got";
import { headers, retries, work } from "./job.mjs";

const client = got.extend({
  headers,
  timeout: { request: 5000 },
  retry: { limit: retries, methods: ["POST"], statusCodes: [429, 500, 502, 503, 504], noise: 100, backoffLimit: 5000 },
});

await work((url, body) => client.post(url, { json: body }).text());
