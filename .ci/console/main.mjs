// Runs the tests of the console, one after the other, each with a page and a world of its own.
// DISK names the folder of the page's files, to try changes of them without building.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { admin, chromium, running, serve, tests, work } from './harness.mjs';
import './views.mjs';
import './hold.mjs';
import './api.mjs';

const wanted = tests.filter(({ name }) => name.includes(process.env.ONLY ?? ''));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-precise-memory-info', '--js-flags=--expose-gc'] });
const server = await serve();
let failed = 0;
let count = 0;
for (const { name, run, options } of wanted) {
  const began = Date.now();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options.context });
  const page = await context.newPage();
  page.setDefaultTimeout(8000);
  const problems = [];
  const foreign = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => { if (/content security policy/i.test(message.text())) problems.push(message.text()); });
  page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).hostname !== '127.0.0.1') foreign.push(request.url()); });
  try {
    const world = `test-${++count}`;
    const { json } = await admin(server.url, 'POST', 'worlds', { name: world });
    const open = async (view, more = '', url = server.url) => {
      await page.goto(`${url}/console/${view}?world=${world}${more}`);
      await page.locator('.connection.open').waitFor({ state: 'attached' });
    };
    if (process.env.DISK) await page.route("**/console/**", (route) => { const p = new URL(route.request().url()).pathname.slice(9); return /\.(js|css)$/.test(p) ? route.fulfill({ body: readFileSync(process.env.DISK + p), contentType: p.endsWith("js") ? "text/javascript" : "text/css" }) : route.continue(); });
    await run({ page, context, browser, url: server.url, world, key: json.apiKey, open, problems });
    assert.deepEqual(problems, [], 'errors of the page');
    assert.deepEqual(foreign, [], 'requests to elsewhere');
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n      ${String(error.stack).replaceAll('\n', '\n      ')}\n      ${problems.join('\n      ')}`);
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, 'failed.png') }).catch(() => {});
    console.log(`      the page: ${(await page.locator('main').innerText().catch(() => '')).slice(0, 600).replaceAll('\n', ' ')}`);
  }
  await context.close();
}
await browser.close();
await server.stop();
for (const child of running) child.kill();
rmSync(work, { recursive: true, force: true });
console.log(failed ? `${failed} of ${wanted.length} tests of the console failed` : `${wanted.length} tests of the console passed`);
process.exit(failed ? 1 : 0);
