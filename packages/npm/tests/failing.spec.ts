import { expect } from "standin/playwright";
import { test } from "./app.js";

test("this test fails", async ({ app, request }) => {
  await request.get(`${app}/`);
  expect(1).toBe(2);
});

test("this test passes", async ({ app, request }) => {
  await request.get(`${app}/`);
});
