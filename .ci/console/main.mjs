// Runs the tests of the console, one after the other, each with a page of its own.
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';

const require = createRequire(join(process.env.TOOLS, 'x.js'));
const { chromium } = require('playwright-core');
export const axe = require('axe-core').source;

export const work = mkdtempSync(join(tmpdir(), 'standin-console-'));
const running = new Set();

/** Starts the program. `stop` ends it. */
export async function serve(args = ['scenarios/demo.yaml', '--now', '2026-06-30T17:00:00Z'], port = 0) {
  const child = spawn(process.env.STANDIN, ['serve', ...args, '--port', String(port), '--log', 'json', '--quiet'], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const line = text.split('\n').find((one) => one.includes('baseUrl'));
      if (line) resolve(JSON.parse(line).baseUrl.replace(/\/$/, ''));
    });
    child.on('exit', (code) => reject(new Error(`The server ended with ${code}: ${text}`)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return { url, port: Number(new URL(url).port), stop: async () => { child.kill(); await ended; running.delete(child); } };
}

/** A call of the admin API. */
export async function admin(url, method, path, body, headers = {}) {
  const response = await fetch(`${url}/__admin/${path}`, { method, body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body), headers });
  const text = await response.text();
  return { status: response.status, json: text ? JSON.parse(text) : null };
}

/** A call of the simulated API, as a client makes it. */
export async function call(url, { key = 'demo-key', world = '', path = '/v1/review/businessId/100?count=2', body = {}, headers = {} } = {}) {
  try {
    const response = await fetch(`${url}${world && `/w/${world}`}${path}`, { method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
    const text = await response.text();
    let json = null;
    try { json = JSON.parse(text); } catch { /* a fault's answer */ }
    return { status: response.status, json, text };
  } catch (error) {
    return { status: null, error };
  }
}

export const until = async (what, holds, patience = 8000) => {
  const end = Date.now() + patience;
  for (;;) {
    const result = await holds();
    if (result) return result;
    if (Date.now() > end) throw new Error(`It never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const tests = [];
/** `run` gets `{ page, url, open }` of a fresh world, and asserts. */
export const test = (name, run, options = {}) => tests.push({ name, run, options });

await import('./views.mjs');
await import('./hold.mjs');

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
      await page.getByText(/^(Connected|Locked)$/).waitFor();
    };
    await run({ page, context, browser, url: server.url, world, key: json.apiKey, open, problems });
    assert.deepEqual(problems, [], 'errors of the page');
    assert.deepEqual(foreign, [], 'requests to elsewhere');
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}\n      ${String(error.stack).replaceAll('\n', '\n      ')}\n      ${problems.join('\n      ')}`);
    await page.screenshot({ path: join(work, 'failed.png') }).catch(() => {});
  }
  await context.close();
}
await browser.close();
await server.stop();
for (const child of running) child.kill();
rmSync(work, { recursive: true, force: true });
console.log(failed ? `${failed} of ${wanted.length} tests of the console failed` : `${wanted.length} tests of the console passed`);
process.exit(failed ? 1 : 0);
