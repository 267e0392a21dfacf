import { spawn } from "node:child_process";
import { once } from "node:events";
import { test as base } from "standin/playwright";

/** `app` is the address of the application under test. */
export const test = base.extend<object, { app: string }>({
  app: [
    async ({ standin }, use) => {
      if (process.env["STANDIN_BASE_URL"]) return use("http://127.0.0.1:4177");
      const child = spawn("node", ["app.mjs", "0", standin.baseUrl, "demo-key"], { stdio: ["ignore", "pipe", "inherit"] });
      const [port] = (await once(child.stdout, "data")) as [Buffer];
      await use(`http://127.0.0.1:${port.toString().trim()}`);
      child.kill();
    },
    { scope: "worker" },
  ],
});
