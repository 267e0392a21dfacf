#!/usr/bin/env node
// `npx standin …`: runs the program with the same arguments, streams and exit code.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { binary } from "./binary.js";

function run(program: string): void {
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  const onTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // A terminal sends Ctrl-C to the program, too; a second one would end it at once.
    process.on(signal, () => {
      if (signal !== "SIGINT" || !onTerminal) child.kill(signal);
    });
  }
  child.on("error", (error) => {
    console.error(`standin: cannot run ${program}: ${error.message}`);
    process.exit(3);
  });
  child.on("exit", (code, signal) => {
    process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
  });
}

try {
  run(binary());
} catch (error) {
  console.error(`standin: ${(error as Error).message}`);
  process.exit(3);
}
