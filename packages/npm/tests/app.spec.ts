import { expect } from "standin/playwright";
import type { World } from "standin";
import { test } from "./app.js";

/** What a visitor sees: the status of the application's call, and the number of reviews. */
type Visit = (url: string) => Promise<{ status: string | undefined; reviews: number }>;

async function signsUpAndReads(number: number, app: string, world: World, visit: Visit): Promise<void> {
  const broken = number % 4 === 0;
  const email = `visitor-${number}@example.test`;
  if (broken) await world.faults.put("down", { operation: "reviews", then: { status: 503 } });
  expect(await visit(`${app}/sign-up?email=${email}`)).toEqual({ status: "200", reviews: 0 });
  expect(await visit(`${app}/`)).toEqual(broken ? { status: "503", reviews: 0 } : { status: "200", reviews: 25 });

  expect(world.seed).toBe(1000 + (number % 2));
  const calls = await world.calls();
  expect(calls.map((call) => call.operation)).toEqual(["contact", "reviews"]);
  expect(calls[0]?.body).toMatchObject({ email });
  expect(calls[1]?.fault).toBe(broken ? "down" : null);
  const visitors = (await world.stored("contacts")).filter((contact) => String(contact["email"]).startsWith("visitor-"));
  expect(visitors.map((contact) => contact["email"])).toEqual([email]);
  const { passed } = await world.verify([{ requests: { operation: "contact", body: { "/email": email } }, count: 1 }]);
  expect(passed).toBe(true);
  expect((await world.report()).calls).toBe(2);
}

for (let number = 0; number < 40; number += 1) {
  test.describe(`visitor ${number}`, () => {
    test.use({ worldOptions: { seed: 1000 + (number % 2) } });

    if (number < 8) {
      test(`signs up and reads reviews in a browser, number ${number}`, async ({ app, page, world }) => {
        test.skip(!process.env["CHROMIUM"], "there is no chromium");
        await signsUpAndReads(number, app, world, async (url) => {
          await page.goto(url);
          return { status: await page.locator("#status").innerText(), reviews: await page.locator("li").count() };
        });
      });
    } else {
      test(`signs up and reads reviews without a browser, number ${number}`, async ({ app, request, world }) => {
        await signsUpAndReads(number, app, world, async (url) => {
          const text = await (await request.get(url)).text();
          return { status: /<h1 id="status">(.*?)</.exec(text)?.[1], reviews: text.split("<li>").length - 1 };
        });
      });
    }
  });
}

test.describe("own headers", () => {
  test.use({ extraHTTPHeaders: { "x-mine": "1", baggage: "user=ann" } });
  test("of a page are kept beside the world's name", async ({ app, page, world }) => {
    test.skip(!process.env["CHROMIUM"], "there is no chromium");
    await page.goto(`${app}/`);
    const [call] = await world.calls();
    expect(call?.headers["baggage"]).toBe(`standin.world=${world.name},user=ann`);
  });
  test("of a request are kept beside the world's name", async ({ app, request, world }) => {
    await request.get(`${app}/`);
    const [call] = await world.calls();
    expect(call?.headers["baggage"]).toBe(`standin.world=${world.name},user=ann`);
  });
});

test.describe("a base URL and own headers of a request", () => {
  test.use({ baseURL: "http://127.0.0.1:9/", extraHTTPHeaders: { "x-api-key": "demo-key" } });
  test("hold for it", async ({ request, standin, world }) => {
    const answer = await request.post(`${standin.baseUrl}/v1/review/businessId/100?count=1`);
    expect(answer.status()).toBe(200);
    expect((await world.calls()).map((call) => call.headers["baggage"])).toEqual([`standin.world=${world.name}`]);
    await expect(request.get("/nowhere")).rejects.toThrow("127.0.0.1:9/nowhere");
  });
});
