// What the page shows is in its URL: the view, the selected call, the world and the filters.
import { batch, computed, signal } from './lib.js';

export const VIEWS = ['Live', 'Faults', 'Data', 'Webhooks', 'Time', 'Worlds', 'Scenario', 'Report', 'Present'];

const ROOT = '/console';

function read() {
  const parts = location.pathname.slice(ROOT.length).split('/').filter(Boolean).map(decodeURIComponent);
  const view = VIEWS.find((name) => name.toLowerCase() === (parts[0] || 'live'));
  return { view, id: parts[1], query: Object.fromEntries(new URLSearchParams(location.search)) };
}

function safely(read, otherwise) {
  try { return read(); } catch { return otherwise; }
}

export const route = signal(safely(read, { view: undefined, id: undefined, query: {} }));
/** Name of the world that is shown. `default` is the default scenario's. */
export const world = computed(() => route.value.query.world || 'default');

/** Address of a view of the same world. */
export function address(view, id, query = {}) {
  const named = world.value === 'default' ? {} : { world: world.value };
  const search = new URLSearchParams(Object.entries({ ...named, ...query }).filter(([, value]) => value));
  const path = [ROOT, view.toLowerCase(), ...(id === undefined ? [] : [encodeURIComponent(id)])].join('/');
  return search.size ? `${path}?${search}` : path;
}

/** Goes to an address within the console. */
export function go(href) {
  history.pushState(null, '', href);
  follow();
}

export function follow() {
  batch(() => {
    const before = route.value;
    route.value = safely(read, { view: undefined, id: undefined, query: {} });
    // What was said of another view is over, but not what a button said that led here.
    if (before.view !== route.value.view || before.id !== route.value.id) notices.value = notices.value.filter((notice) => notice.stays || performance.now() - notice.at < 1000);
  });
}

/** Changes parts of the query. An empty value removes its part. */
export function setQuery(changes) {
  const query = { ...route.value.query, ...changes };
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
  history.replaceState(null, '', search.size ? `?${search}` : location.pathname);
  route.value = { ...route.value, query: Object.fromEntries(search) };
}

export const theme = signal(document.documentElement.dataset.theme || 'system');

export function setTheme(name) {
  theme.value = name;
  if (name === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  safely(() => localStorage.setItem('standin.theme', name));
}

// What the live region says: at most one message in five seconds, the last of those that came. A message is a text, or a function
// that makes it when it is said. One that is said twice gets a space at its end: only a change of the region is read aloud.
export const said = signal('');
let waiting = null;
let last = -Infinity;

export function say(text) {
  waiting = text;
  const rest = last + 5000 - performance.now();
  if (rest > 0) {
    if (!say.timer) say.timer = setTimeout(speak, rest);
  } else speak();
}

function speak() {
  say.timer = null;
  last = performance.now();
  const text = typeof waiting === 'function' ? waiting() : waiting;
  said.value = text === said.value ? `${text}\u00a0` : text;
}

/** Messages: `{ id, kind, text, at, stays }`. Those that stay do so until they are closed, the others for some time or until another view is opened. */
export const notices = signal([]);
const SHOWN = 20_000;
let count = 0;

/** A notice of the same key takes the place of the one before. */
export function notify(text, kind = 'info', key = null, stays = false) {
  const id = key || `n${++count}`;
  const notice = { id, kind, text, at: performance.now(), stays };
  notices.value = [...notices.value.filter((one) => one.id !== id), notice].slice(-4);
  if (!stays) setTimeout(() => { notices.value = notices.value.filter((one) => one !== notice); }, SHOWN);
  say(text);
}

export function dismiss(id) {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
