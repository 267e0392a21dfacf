// Under `standin run`, one application and one server serve all workers; else each worker starts both of its own.
import { defineConfig } from "@playwright/test";
import type { StandinFixtures, StandinWorkerFixtures } from "standin/playwright";

const shared = process.env["STANDIN_BASE_URL"];

export default defineConfig<StandinFixtures, StandinWorkerFixtures>({
  testDir: ".",
  testMatch: "*.spec.ts",
  testIgnore: process.env["WITH_FAILING"] ? [] : "failing.spec.ts",
  fullyParallel: true,
  workers: 8,
  maxFailures: 3,
  timeout: 60_000,
  reporter: [["line"], ["json", { outputFile: "results.json" }]],
  use: {
    standinOptions: { scenario: "demo" },
    extraHTTPHeaders: { "x-own-header": "kept" },
    launchOptions: { executablePath: process.env["CHROMIUM"] ?? "", args: ["--no-sandbox"] },
  },
  ...(shared ? { webServer: { command: `node app.mjs 4177 ${shared} demo-key`, port: 4177 } } : {}),
});
