// Fixtures for Playwright: a server per worker, a world per test.

import { test as base, type TestInfo } from "@playwright/test";
import type { Standin, StartOptions, World } from "./index.js";
import type { WorldOptions } from "./types.js";
import { acquire, worldName } from "./fixture.js";

export { expect } from "@playwright/test";

/** Fixtures of a test. */
export interface StandinFixtures {
  /** The world of this test. Requests of `page`, `context` and `request` carry its name in the header `baggage`. */
  world: World;
  /** What the world of a test starts with: `test.use({ worldOptions: { seed: 7 } })`. */
  worldOptions: WorldOptions;
}

/** Fixtures of a worker. */
export interface StandinWorkerFixtures {
  /** The server of this worker, or the one that STANDIN_BASE_URL names. */
  standin: Standin;
  /** How the server is started: `use: { standinOptions: { scenario: "flaky" } }`. */
  standinOptions: StartOptions;
}

/** Playwright's `test` with the fixtures `standin` and `world`. */
export const test = base.extend<StandinFixtures, StandinWorkerFixtures>({
  standinOptions: [{}, { option: true, scope: "worker" }],
  worldOptions: [{}, { option: true }],

  standin: [
    async ({ standinOptions }, use) => {
      const standin = await acquire(standinOptions);
      await use(standin);
      await standin.stop();
    },
    { scope: "worker" },
  ],

  world: async ({ standin, worldOptions }, use, testInfo) => {
    const world = await standin.world({ name: worldName(testInfo.title), ...worldOptions });
    try {
      await use(world);
      if (testInfo.status !== testInfo.expectedStatus) await attach(world, testInfo);
    } finally {
      await world.remove();
    }
  },

  extraHTTPHeaders: async ({ extraHTTPHeaders, world }, use) => {
    await use(withBaggage(extraHTTPHeaders, world));
  },

  context: async ({ context, extraHTTPHeaders, world }, use) => {
    // A test file's own `test.use({ extraHTTPHeaders })` replaces the fixture above.
    await context.setExtraHTTPHeaders(withBaggage(extraHTTPHeaders, world));
    await use(context);
  },

  request: async ({ playwright, extraHTTPHeaders, world }, use) => {
    // As above; the other options of the test hold for a context that is made here, too.
    const request = await playwright.request.newContext({ extraHTTPHeaders: withBaggage(extraHTTPHeaders, world) });
    await use(request);
    await request.dispose();
  },
});

function withBaggage(headers: Readonly<Record<string, string>> | undefined, world: World): Record<string, string> {
  const all = { ...headers };
  const name = Object.keys(all).find((name) => name.toLowerCase() === "baggage") ?? "baggage";
  const others = (all[name] ?? "").split(",").filter((member) => member.trim() && !member.trim().startsWith("standin.world="));
  all[name] = [world.baggage, ...others].join(",");
  return all;
}

async function attach(world: World, testInfo: TestInfo): Promise<void> {
  const contentType = "application/json";
  const attachments = [
    ["standin.har", () => world.har()],
    ["standin-scorecard.json", () => world.report()],
  ] as const;
  for (const [name, content] of attachments) {
    await testInfo.attach(name, { contentType, body: JSON.stringify(await content(), null, 2) });
  }
}
