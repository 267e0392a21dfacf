// Finds the program: STANDIN_BIN, else the package of this platform.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** The path of the program. */
export function binary(): string {
  const named = process.env["STANDIN_BIN"];
  if (named) {
    if (!existsSync(named)) throw new Error(`STANDIN_BIN is ${named}, and there is no such file`);
    return named;
  }
  const platform = `standin-${process.platform}-${process.arch}`;
  const program = process.platform === "win32" ? "standin.exe" : "standin";
  try {
    return createRequire(import.meta.url).resolve(`${platform}/bin/${program}`);
  } catch {
    throw new Error(
      `the package ${platform}, which has the program for this platform, is not installed.\n` +
        "It is an optional dependency of standin: install without --omit=optional, and on the platform where the program runs.\n" +
        "If there is no such package, build the program and set STANDIN_BIN to its path.",
    );
  }
}
