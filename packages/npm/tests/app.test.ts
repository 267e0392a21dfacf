import { describe, expect } from "vitest";
import { test } from "standin/vitest";

const reviews = async (baseUrl: string) => {
  const answer = await fetch(`${baseUrl}/v1/review/businessId/100?count=3`, { method: "POST", headers: { "x-api-key": "demo-key" } });
  return { status: answer.status, body: (await answer.json()) as unknown[] };
};

test("reads reviews", async ({ world }) => {
  expect((await reviews(world.baseUrl)).body).toHaveLength(3);
});

describe("with another scenario and a seed", () => {
  const flaky = test.extend({ worldOptions: { scenario: "rate-limited", seed: 5 } });
  for (let number = 0; number < 20; number += 1) {
    flaky.concurrent(`each test has its own world: ${number}`, async ({ world, expect }) => {
      expect((await reviews(world.baseUrl)).status).toBe(429);
      expect((await reviews(world.baseUrl)).status).toBe(200);
      expect(await world.calls()).toHaveLength(2);
      expect(world.seed).toBe(5);
    });
  }
});

test.runIf(process.env["WITH_FAILING"])("this test fails", async ({ world }) => {
  await reviews(world.baseUrl);
  expect(1).toBe(2);
});
