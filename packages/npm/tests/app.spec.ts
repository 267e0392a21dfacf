import { expect } from "standin/playwright";
import { test } from "./app.js";

for (let number = 0; number < 40; number += 1) {
  const broken = number % 4 === 0;

  test.describe(`visitor ${number}`, () => {
    test.use({ worldOptions: { seed: 1000 + (number % 5) } });

    test(`signs up and reads reviews, number ${number}`, async ({ app, page, world }) => {
      const email = `visitor-${number}@example.test`;
      if (broken) await world.faults.put("down", { operation: "reviews", then: { status: 503 } });
      await page.goto(`${app}/sign-up?email=${email}`);
      await expect(page.locator("#status")).toHaveText("200");
      await page.goto(`${app}/`);
      await expect(page.locator("#status")).toHaveText(broken ? "503" : "200");
      await expect(page.locator("li")).toHaveCount(broken ? 0 : 25);

      expect(world.seed).toBe(1000 + (number % 5));
      const calls = await world.calls();
      expect(calls.map((call) => call.operation)).toEqual(["contact", "reviews"]);
      expect(calls[0]?.body).toMatchObject({ email });
      expect(calls[1]?.fault).toBe(broken ? "down" : null);
      const visitors = (await world.stored("contacts")).filter((contact) => String(contact["email"]).startsWith("visitor-"));
      expect(visitors.map((contact) => contact["email"])).toEqual([email]);
      const { passed } = await world.verify([{ requests: { operation: "contact", body: { "/email": email } }, count: 1 }]);
      expect(passed).toBe(true);
      expect((await world.report()).calls).toBe(2);
    });
  });
}

test("requests without a browser reach the world of the test, too", async ({ app, request, world }) => {
  const answer = await request.get(`${app}/`);
  expect(await answer.text()).toContain('<h1 id="status">200</h1>');
  expect((await world.calls()).length).toBe(1);
});

test.describe("own headers", () => {
  test.use({ extraHTTPHeaders: { "x-mine": "1", baggage: "user=ann" } });
  test("are kept beside the world's name", async ({ app, page, world }) => {
    await page.goto(`${app}/`);
    const [call] = await world.calls();
    expect(call?.headers["baggage"]).toBe(`standin.world=${world.name},user=ann`);
  });
});
