// The stream of the world that is shown. It is read by fetch, since EventSource sends no token, and connects again by itself.
import { effect, signal } from './lib.js';
import { world } from './state.js';
import { headers, locked, token } from './api.js';

/** `connecting`, `open`, `lost`, or `gone` where the server answers and has no such world. */
export const connection = signal('connecting');

const listeners = new Set();

/** Calls `listener(kind, data)` for each event. Of `request` the data are all texts that came since the last time, unparsed. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(kind, data) {
  for (const listener of listeners) listener(kind, data);
}

const WAITS = [250, 500, 1000, 2000, 4000];
/** Most requests that wait to be shown. Older ones are only counted. */
const MOST = 500;

let queue = [];
let queued = 0;
let timer = null;
/** Time between two updates, longer if they take long. */
let pace = 200;

function flush() {
  timer = null;
  if (queued === 0) return;
  const batch = { texts: queue, count: queued };
  [queue, queued] = [[], 0];
  const before = performance.now();
  tell('request', batch);
  requestAnimationFrame(() => setTimeout(() => {
    const took = performance.now() - before;
    pace = Math.min(2000, Math.max(200, took * 12));
  }));
}

function take(block) {
  let kind = '';
  let data = '';
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) kind = line.slice(7);
    else if (line.startsWith('data: ')) data = line.slice(6);
  }
  if (!kind) return;
  if (kind === 'request') {
    queue.push(data);
    queued += 1;
    if (queue.length > MOST * 2) queue = queue.slice(-MOST);
    timer ??= setTimeout(flush, pace);
    return;
  }
  flush();
  tell(kind, JSON.parse(data));
}

async function watch(name, stop) {
  let failures = 0;
  let lostAt = null;
  while (!stop.aborted) {
    try {
      const response = await fetch(`/__admin/worlds/${encodeURIComponent(name)}/stream?brief=true`, { headers: headers(), signal: stop, cache: 'no-store' });
      if (response.status === 401) {
        locked.value = true;
        return;
      }
      if (response.status === 404) {
        connection.value = 'gone';
        lostAt ??= Date.now();
      } else if (!response.ok) throw new Error(`The stream answered ${response.status}.`);
      else {
        failures = 0;
        connection.value = 'open';
        tell('open', { lostFor: lostAt === null ? null : Date.now() - lostAt });
        lostAt = null;
        await read(response.body);
      }
    } catch (error) {
      if (stop.aborted) return;
      connection.value = 'lost';
    }
    if (stop.aborted) return;
    lostAt ??= Date.now();
    if (connection.value !== 'gone') connection.value = 'lost';
    await new Promise((resolve) => setTimeout(resolve, WAITS[Math.min(failures, WAITS.length - 1)]));
    failures += 1;
  }
}

async function read(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const text = rest + value;
    const blocks = text.split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) take(block);
  }
}

/** How often the stream was begun anew for the same world. */
const turn = signal(0);

/** Begins the stream anew. That of a world that was removed stays open and brings nothing more. */
export function reconnect() {
  turn.value += 1;
}

/** Follows the world that is shown, from now on. */
export function start() {
  effect(() => {
    const name = world.value;
    void token.value;
    void turn.value;
    if (locked.value) return undefined;
    const stop = new AbortController();
    connection.value = 'connecting';
    [queue, queued] = [[], 0];
    tell('world', { world: name });
    watch(name, stop.signal);
    return () => stop.abort();
  });
}
