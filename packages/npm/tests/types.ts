// Compiled, never run: what the types allow and what they do not.
import { start, type ErrorCode, type Operation, type Standin, type World } from "standin";

export const operations: readonly Operation[] = ["reviews", "route:review-summary"];
export const codes: readonly ErrorCode[] = [89, 1161];

export async function use(): Promise<void> {
  const standin: Standin = await start({ scenario: "demo", seed: "random" });
  const world: World = await standin.world({ name: "x", seed: 7, faults: [{ name: "a", operation: ["qna", "reviews"], hits: "1-2", then: { error: 89, retry_after: "2s" } }] });
  await world.faults.put("b", { when: { business: 100, body: { "/firstName": "Ann" } }, then: { delay: "10ms-20ms" } });
  await world.advance("61s");
  // @ts-expect-error: no such operation
  await world.faults.put("c", { operation: "review", then: { status: 503 } });
  // @ts-expect-error: no such code
  await world.faults.put("d", { then: { error: 90 } });
  // @ts-expect-error: a duration has a unit
  await world.advance("61");
  const { passed, results } = await world.verify([{ after: { error: 89 }, wait: "retry-after" }, { requests: { operation: "reviews" }, count: "1-" }], { within: "2s" });
  const nearest: number | undefined = results[0]?.nearest?.call;
  const fault: string | null | undefined = (await world.calls({ operation: "reviews", code: 89 }))[0]?.fault;
  console.log(passed, nearest, fault, (await world.report()).verdict);
  await world.reset();
  await world.remove();
  await standin.stop();
}
