// The API, with Node's own test runner.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { StandinError, connect, start } from "standin";

let standin;
before(async () => {
  standin = await start({ scenario: "demo", seed: 11 });
});
after(() => standin.stop());

const reviews = (baseUrl, key = "demo-key") =>
  fetch(`${baseUrl}/v1/review/businessId/100?count=1`, { method: "POST", headers: { "x-api-key": key } });

/** Waits until a server refuses connections. */
async function isGone(url) {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      await fetch(url, { method: "POST" });
    } catch {
      return true;
    }
    await sleep(50);
  }
  return false;
}

test("a world has a seed, faults, a clock, a journal and a report of its own", async () => {
  const world = await standin.world({ name: "own", faults: [{ name: "first", hits: 1, then: { error: 89, retry_after: "2s" } }] });
  assert.equal(world.name, "own");
  assert.equal(world.baseUrl, `${standin.baseUrl}/w/own`);
  assert.equal(world.seed, 11);
  assert.equal((await reviews(world.baseUrl)).status, 429);
  await world.advance("3s");
  assert.equal((await reviews(standin.baseUrl, world.apiKey)).status, 200);
  const put = await world.faults.put("down", { operation: "reviews", then: { status: 503 } });
  assert.equal(put.enabled, true);
  assert.equal((await reviews(world.baseUrl)).status, 503);
  await world.faults.enable("down", false);
  assert.equal((await reviews(world.baseUrl)).status, 200);
  assert.deepEqual((await world.faults.list()).map((fault) => [fault.name, fault.hitCount]), [["down", 1], ["first", 1]]);
  await world.faults.remove("down");

  assert.deepEqual((await world.calls()).map((call) => call.status), [429, 200, 503, 200]);
  assert.deepEqual((await world.calls({ fault: "first" })).map((call) => call.code), [89]);
  assert.equal((await world.har()).log.entries.length, 4);
  const { passed, results } = await world.verify([
    { name: "waits", after: { error: 89 }, wait: "retry-after" },
    { name: "once", requests: { operation: "reviews" }, count: 1 },
  ]);
  assert.equal(passed, false);
  assert.deepEqual(results.map((result) => result.passed), [true, false]);
  assert.equal((await world.report()).calls, 4);

  await world.reset({ seed: 12 });
  assert.equal(world.seed, 12);
  assert.deepEqual(await world.calls(), []);
  await world.remove();
  await assert.rejects(world.calls(), (error) => error instanceof StandinError && error.status === 404);
});

test("what is wrong with a world is said in the loader's own words", async () => {
  const faults = [{ name: "x", operation: "review", then: { status: 503 } }];
  await assert.rejects(standin.world({ faults }), (error) => error.status === 400 && /did you mean `reviews`/.test(error.message));
});

test("an error is the server's sentence, and below it each finding", async () => {
  const sent = standin.putScenario("other", "standin: 1\nname: mine\nbusinesses: [{number: 1, name: A, locations: []}]\n");
  await assert.rejects(sent, {
    name: "StandinError",
    status: 400,
    message: `The scenario is not served: line 2: this scenario was sent as \`other\`, but its name is \`mine\` (leave \`name\` out, or send the scenario under its own name).

error[wrong-name]: this scenario was sent as \`other\`, but its name is \`mine\`
 --> other.yaml:2:7
  |
2 | name: mine
  |       ^^^^
  |
  = help: leave \`name\` out, or send the scenario under its own name`,
  });
  await assert.rejects(standin.world({ scenario: "nowhere" }), { message: "No scenario is named nowhere: see /__admin/scenarios." });
});

test("the answer of a proxy is the error as it is", async () => {
  const answers = ["<h1>Bad gateway</h1>\n", "", "null", "{}"];
  const proxy = createServer((_, response) => response.writeHead(502).end(answers.shift())).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const baseUrl = `http://127.0.0.1:${proxy.address().port}`;
  for (const message of ["<h1>Bad gateway</h1>", "status 502", "status 502", "status 502"]) {
    await assert.rejects(connect({ baseUrl }), { name: "StandinError", status: 502, message });
  }
  proxy.close();
});

test("a bad scenario rejects with the loader's own text", async () => {
  writeFileSync("bad.yaml", "standin: 1\nname: bad\nbusinesses:\n  - {number: 1, nane: x}\n");
  await assert.rejects(start({ scenario: "bad.yaml" }), (error) => {
    assert.match(error.message, /bad\.yaml:4/);
    assert.match(error.message, /nane/);
    return error instanceof StandinError;
  });
  await assert.rejects(start({ scenario: "nowhere.yaml" }), /nowhere\.yaml/);
  await assert.rejects(standin.putScenario("bad", "standin: 1\nnane: x\n"), /nane/);
});

test("a scenario of the program is found by its name, also for a world of another server", async () => {
  const other = await start({ scenario: "rate-limited" });
  assert.equal((await reviews(other.baseUrl)).status, 429);
  const world = await other.world({ scenario: "down" });
  assert.equal((await reviews(world.baseUrl)).status, 503);
  await other.stop();
  assert.ok(await isGone(other.baseUrl));
});

test("the seed of a server decides the data of its default world", async () => {
  const text = async (seed) => {
    const other = await start({ scenario: "demo", seed, now: "2026-06-30T17:00:00Z" });
    const answer = await fetch(`${other.baseUrl}/v1/review/businessId/100?count=500`, { method: "POST", headers: { "x-api-key": "demo-key" } });
    const body = await answer.text();
    await other.stop();
    return body;
  };
  const [first, second, third] = await Promise.all([text(1), text(2), text(1)]);
  assert.notEqual(first, second);
  assert.equal(first, third);
});

test("a server that runs already is connected to", async () => {
  const same = await connect({ baseUrl: standin.baseUrl });
  const world = await same.world();
  assert.equal((await reviews(world.baseUrl)).status, 200);
  await world.remove();
  await same.stop();
  assert.equal((await reviews(standin.baseUrl)).status, 200);
});

const STARTS = 'import { start } from "standin"; const { baseUrl } = await start({ scenario: "demo" }); console.log(baseUrl);';

for (const [how, code] of [
  ["is killed", `${STARTS} setInterval(() => {}, 1000);`],
  ["ends without stopping it", STARTS],
]) {
  test(`the server ends with its process, also if that ${how}`, async () => {
    const child = spawn("node", ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    const exit = once(child, "exit");
    const [line] = await once(child.stdout, "data");
    const url = line.toString().trim();
    if (how === "is killed") {
      assert.equal((await reviews(url)).status, 200);
      child.kill("SIGKILL");
    }
    const [status] = await exit;
    assert.equal(status, how === "is killed" ? null : 0);
    assert.ok(await isGone(url));
  });
}
