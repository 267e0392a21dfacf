// axios with axios-retry: exponential waits with a random part, and Retry-After where it is longer.
import axios from "axios";
import axiosRetry, { exponentialDelay, isNetworkError } from "axios-retry";
import { headers, retries, work } from "./job.mjs";

const client = axios.create({ headers, timeout: 5000, responseType: "text", transformResponse: (text) => text });
axiosRetry(client, {
  retries,
  shouldResetTimeout: true,
  retryDelay: (count, error) => exponentialDelay(count, error, 200),
  retryCondition: ({ code, response }) =>
    response ? response.status === 429 || response.status >= 500 : isNetworkError({ code }) || code !== "ERR_CANCELED",
});

await work(async (url, body) => (await client.post(url, body)).data);
