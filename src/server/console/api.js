// Calls of the admin API.
import { signal } from './lib.js';
import { notify, world } from './state.js';

const TOKEN = 'standin.token';

export const token = signal(readToken());
/** Whether the admin side asks for a token that it does not get. */
export const locked = signal(false);

function readToken() {
  try { return sessionStorage.getItem(TOKEN) || ''; } catch { return ''; }
}

export function giveToken(given) {
  token.value = given;
  try { sessionStorage.setItem(TOKEN, given); } catch { /* storage is off: it is kept until the page is left */ }
  locked.value = false;
}

/** An answer that is not 2xx, with what the server says of it. */
class Refused extends Error {
  constructor(status, body) {
    super(body?.error || body?.message || `The server answered ${status}.`);
    this.status = status;
    this.diagnostics = body?.diagnostics || [];
  }
}

export function headers() {
  return token.value ? { authorization: `Bearer ${token.value}` } : {};
}

/** Sends a call to a path of this server. Resolves to the fetch response, once it is 2xx. */
export async function send(method, path, body, options = {}) {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(path, { method, body: sent, headers: { ...headers(), ...options.headers }, signal: options.signal, cache: 'no-store' });
  if (response.ok) return response;
  if (response.status === 401 && path.startsWith('/__admin')) locked.value = true;
  throw new Refused(response.status, await response.json().catch(() => null));
}

/** The JSON of an admin call. `path` is below `/__admin/`. */
export async function admin(method, path, body, options) {
  const response = await send(method, `/__admin/${path}`, body, options);
  return response.status === 204 ? null : response.json();
}

/** A page of a list, and how long the whole list is. */
export async function list(path, options) {
  const response = await send('GET', `/__admin/${path}`, undefined, options);
  const items = await response.json();
  return { items, total: Number(response.headers.get('x-total-count') ?? items.length), dropped: Number(response.headers.get('x-standin-dropped') ?? 0) };
}

/** A path of the world that is shown. */
export function inWorld(path) {
  return `worlds/${encodeURIComponent(world.value)}/${path}`;
}

/** Runs what a button does, and shows why it failed. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused && error.status === 401)) notify(error.message, 'bad');
    return undefined;
  }
}

/** Saves an answer of the admin side as a file. A link could not carry the token. */
export async function download(path, name) {
  const blob = await (await send('GET', `/__admin/${path}`)).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
