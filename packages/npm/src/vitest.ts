// Fixtures for Vitest: a server per worker, a world per test.

import { test as base } from "vitest";
import type { Standin, StartOptions, World } from "./index.js";
import type { WorldOptions } from "./types.js";
import { acquire, callLines, worldName } from "./fixture.js";

/** The fixtures. */
export interface StandinFixtures {
  /** The server of this worker, or the one that STANDIN_BASE_URL names. */
  standin: Standin;
  /** How the server is started: `test.override({ standinOptions: { scenario: "flaky" } })`. */
  standinOptions: StartOptions;
  /** The world of this test. If the test fails, its calls are printed. */
  world: World;
  /** What the world of a test starts with. */
  worldOptions: WorldOptions;
}

/** Vitest's `test` with the fixtures `standin` and `world`. */
export const test = base.extend<StandinFixtures>({
  standinOptions: [{}, { scope: "worker" }],
  worldOptions: {},

  standin: [
    async ({ standinOptions }, use) => {
      const standin = await acquire(standinOptions);
      await use(standin);
      await standin.stop();
    },
    { scope: "worker" },
  ],

  world: async ({ standin, worldOptions, task, onTestFinished }, use) => {
    const world = await standin.world({ name: worldName(task.name), ...worldOptions });
    // A fixture ends before the test's result is known.
    onTestFinished(async ({ task }) => {
      if (task.result?.state === "fail") console.error(`calls of ${world.name}:\n${await callLines(world)}`);
      await world.remove();
    });
    await use(world);
  },
});
