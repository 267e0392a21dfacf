// The page of the API: all operations and routes are there, and the forms are filled with what the world answers.
import assert from 'node:assert/strict';
import { test, until } from './harness.mjs';

test('the page of the API has all operations and routes, and answers come to its forms', async ({ page, url, world }) => {
  const api = await (await fetch(`${url}/w/${world}/openapi.json`)).json();
  const operations = Object.values(api.paths).flatMap((methods) => Object.entries(methods));
  await page.goto(`${url}/w/${world}/docs`);
  await page.getByText('Served at').waitFor();
  assert.equal(await page.locator('main section').count(), operations.length);
  // Nobody has subscribed in this world, and routes that write take bodies that the page does not know.
  const fillable = operations.filter(([method, { operationId }]) => !operationId.startsWith('route:') || (method === 'get' && !operationId.includes('unsubscribe')));
  assert(fillable.length > 12, String(fillable.length));
  for (const [, { operationId }] of fillable) {
    const section = page.locator(`section[id="${operationId}"]`);
    await section.getByRole('button', { name: 'Send' }).click();
    const status = section.locator('.status');
    await until(`an answer of ${operationId}`, async () => /^\d/.test(await status.innerText().catch(() => '')));
    assert.match(await status.innerText(), /^200 /, operationId);
  }
});
