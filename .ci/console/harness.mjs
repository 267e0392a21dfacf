// What the tests of the console need: the program, its admin API, and calls of a client.
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';

const require = createRequire(join(process.env.TOOLS, 'x.js'));
export const { chromium } = require('playwright-core');
export const axe = require('axe-core').source;

export const work = mkdtempSync(join(tmpdir(), 'standin-console-'));
export const running = new Set();

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

export const tests = [];
/** `run` gets `{ page, url, open }` of a fresh world, and asserts. */
export const test = (name, run, options = {}) => tests.push({ name, run, options });
