// A small application that renders on its server: it passes `baggage` on, as OpenTelemetry does.
// node app.mjs PORT API_BASE_URL API_KEY

import { createServer } from "node:http";

const [port, api, key] = process.argv.slice(2);
const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

async function call(request, method, path, body) {
  const headers = { "x-api-key": key, "x-business-number": "100", "content-type": "application/json" };
  if (request.headers.baggage) headers.baggage = request.headers.baggage;
  return fetch(api + path, { method, headers, body });
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://app");
  response.setHeader("content-type", "text/html; charset=utf-8");
  try {
    if (url.pathname === "/sign-up") {
      const email = url.searchParams.get("email");
      const contact = { firstName: "Ann", email, businessIds: [100] };
      const answer = await call(request, "POST", "/v1/contact/external/preferences/saveCustomer", JSON.stringify(contact));
      response.end(`<h1 id="status">${answer.status}</h1><pre>${escape(await answer.text())}</pre>`);
    } else if (url.pathname !== "/") {
      response.writeHead(404).end();
    } else {
      const answer = await call(request, "POST", "/v1/review/businessId/100?count=25");
      const reviews = answer.ok ? await answer.json() : [];
      const items = reviews.map((review) => `<li>${escape(review.comments ?? "")}</li>`);
      response.end(`<h1 id="status">${answer.status}</h1><ul>${items.join("")}</ul>`);
    }
  } catch (error) {
    response.end(`<h1 id="status">${escape(String(error.cause ?? error))}</h1>`);
  }
});
server.listen(Number(port), "127.0.0.1", () => console.log(String(server.address().port)));
