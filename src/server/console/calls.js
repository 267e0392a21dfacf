// The newest calls of the world: what the journal has, and what the stream brings.
import { signal } from './lib.js';
import { inWorld, list } from './api.js';
import { notify, say, world } from './state.js';
import { connection, listen } from './stream.js';

/** Most calls that are kept. */
export const MOST = 500;

/** Newest first, without headers and bodies. */
export const calls = signal([]);
export const paused = signal(false);
/** How many calls came while the list was paused. */
export const held = signal(0);
/** How many calls a second came lately. */
export const rate = signal(0);
export const problem = signal(null);

let bySeq = new Map();
let newest = null;
let since = { at: performance.now(), count: 0 };
let waiting = [];
/** How many calls came since the live region last told of any. */
let untold = 0;

function isOtherRun(entry) {
  const known = bySeq.get(entry.seq);
  return (known && known.elapsedMs !== entry.elapsedMs) || (newest && entry.elapsedMs < newest.elapsedMs - 5000 && entry.seq < newest.seq);
}

/** How many runs of the world were seen. */
let runs = 0;

/** Adds entries, in the order in which they came. Those of another run of the world take the place of all before. */
function add(entries) {
  for (const entry of entries) {
    if (isOtherRun(entry)) {
      clear();
      runs += 1;
    }
    bySeq.set(entry.seq, entry);
    if (!newest || entry.seq >= newest.seq) newest = entry;
  }
  const all = [...bySeq.values()].sort((left, right) => right.seq - left.seq).slice(0, MOST);
  bySeq = new Map(all.map((entry) => [entry.seq, entry]));
  calls.value = all;
}

function clear() {
  bySeq = new Map();
  newest = null;
}

function parse(texts) {
  const entries = [];
  for (const text of texts.slice(-MOST)) entries.push(JSON.parse(text));
  return entries;
}

async function load(path) {
  try {
    const found = await list(path);
    problem.value = null;
    return found;
  } catch (error) {
    problem.value = error.message;
    return null;
  }
}

/** Reads the journal anew, after a connection was made. `lostFor` is how long there was none. */
async function connected(lostFor) {
  const name = world.value;
  const [before, run] = [newest, runs];
  const found = await load(inWorld(`requests?brief=true&limit=${MOST}`));
  if (name !== world.value) return;
  if (!found) {
    // The server may just be starting.
    setTimeout(() => { if (connection.value === 'open' && name === world.value) connected(lostFor); }, 700);
    return;
  }
  const { items } = found;
  const last = items.at(-1);
  // The stream may have brought calls of the new run meanwhile.
  const fresh = before !== null && (runs !== run || items.length === 0 || last.seq < before.seq || items.some(isOtherRun));
  if (fresh) {
    clear();
    calls.value = [];
  }
  add(items);
  askDurations();
  if (lostFor === null) return;
  const seconds = Math.max(1, Math.round(lostFor / 1000));
  const lost = `Connected again after ${seconds} s.`;
  const came = fresh || !before ? items.length : items.filter((entry) => entry.seq > before.seq).length;
  const many = came === 1 ? '1 call came' : `${came} calls came`;
  const text = fresh
    ? `${lost} The server was started anew or the world was reset: its journal begins again. The ${before.seq} calls from before are gone; ${many} since.`
    : came > 0 ? `${lost} ${many} meanwhile and ${came === 1 ? 'is' : 'are'} in the list.` : `${lost} No call was missed.`;
  notify(text, 'info', 'connection', true);
}

// The stream tells of a call when its answer is decided. How long it took is known later, so it is asked for.
let asked = null;

function askDurations() {
  asked ??= setTimeout(async () => {
    asked = null;
    const open = calls.value.filter((entry) => entry.durationMs === null);
    // Another server may answer already; `connected` finds that out.
    if (open.length === 0 || paused.value || document.hidden || connection.value !== 'open') return;
    const name = world.value;
    const found = await load(inWorld(`requests?brief=true&after=${open.at(-1).seq - 1}&limit=${MOST}`));
    if (found && name === world.value) add(found.items.filter((entry) => !newest || entry.seq <= newest.seq || entry.durationMs !== null));
    if (calls.value.some((entry) => entry.durationMs === null)) askDurations();
  }, rate.value > 100 ? 4000 : 700);
}

function sayCalls() {
  const text = untold === 1 ? 'A call came.' : `${untold} calls came.`;
  untold = 0;
  return text;
}

function received({ texts, count }) {
  const now = performance.now();
  since.count += count;
  if (now - since.at > 1000) {
    rate.value = Math.round(since.count / ((now - since.at) / 1000));
    since = { at: now, count: 0 };
  }
  untold += count;
  say(sayCalls);
  if (paused.value) {
    held.value += count;
    waiting = [...waiting, ...texts].slice(-MOST);
    return;
  }
  add(parse(texts));
  askDurations();
}

setInterval(() => {
  if (performance.now() - since.at > 2000 && rate.value) {
    rate.value = 0;
    since = { at: performance.now(), count: 0 };
  }
}, 1000);

export function pause(is) {
  paused.value = is;
  if (!is) {
    add(parse(waiting));
    waiting = [];
    held.value = 0;
    askDurations();
  }
}

export function follow() {
  listen((kind, data) => {
    if (kind === 'world') {
      clear();
      calls.value = [];
      waiting = [];
      held.value = 0;
    } else if (kind === 'open') connected(data.lostFor);
    else if (kind === 'request') received(data);
    else if (kind === 'reset') {
      clear();
      calls.value = [];
      waiting = [];
      held.value = 0;
    } else if (kind === 'missed') {
      notify(`The page did not keep up and missed ${data.events} events. The journal has them.`, 'info', 'missed', true);
      connected(null);
    }
  });
}
