// Parts that several views share.
import { cloneElement, html, useEffect, useId, useLayoutEffect, useRef, useState } from './lib.js';
import { attempt } from './api.js';
import { say } from './state.js';

/** A text as a list shows it: its beginning, if it is very long. */
export const brief = (text, most = 160) => (text && text.length > most ? `${text.slice(0, most)}…` : text);

/** The text with the marks that turn its direction written out. One in a client's text would turn the words around it, too. */
export const unturned = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);

/** The number with a thin space between thousands. */
export const number = (value) => new Intl.NumberFormat('en').format(value);

export function duration(ms) {
  if (ms === null || ms === undefined) return '…';
  if (ms < 0.05) return '< 0.1 ms';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

/** World time as a person reads it. */
export const clockTime = (iso) => (iso ? iso.slice(11, 19) : '');
export const day = (iso) => (iso ? iso.slice(0, 10) : '');
export const moment = (iso) => (iso ? `${iso.slice(0, 10)} ${iso.slice(11, 19)}` : '');

/** Length of a time of the world's clock: `2 h 5 min`. */
export function span(ms) {
  const seconds = Math.round(ms / 1000);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60 ? `${seconds % 60} s` : ''}`.trim();
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60 ? `${Math.floor(seconds / 60) % 60} min` : ''}`.trim();
  return `${Math.floor(seconds / 86_400)} d ${Math.floor(seconds / 3600) % 24 ? `${Math.floor(seconds / 3600) % 24} h` : ''}`.trim();
}

/** Data of an admin call, read again when `keys` change. `[data, error, reload]` */
export function useData(read, keys) {
  const [state, set] = useState({});
  const current = useRef(0);
  const of = JSON.stringify(keys);
  const reload = async () => {
    const mine = ++current.current;
    try {
      const data = await read();
      if (mine === current.current) set({ of, data, error: null });
    } catch (error) {
      if (mine === current.current) set({ of, data: undefined, error });
    }
  };
  useEffect(() => {
    reload();
    return () => { current.current += 1; };
  }, keys);
  // Data of other keys are not those that the view asks for.
  return state.of === of ? [state.data, state.error, reload] : [undefined, null, reload];
}

/** Calls `work` a little after the last of several calls of the result. */
export function useLater(work, wait = 250) {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      latest.current();
    }, wait);
  };
}

/** A button that does its work once at a time. */
export function Button({ onPress, kind = '', disabled = false, children, ...rest }) {
  const [busy, setBusy] = useState(false);
  const press = async (event) => {
    if (busy) return;
    const work = onPress(event);
    if (!(work instanceof Promise)) return;
    setBusy(true);
    await attempt(() => work);
    setBusy(false);
  };
  return html`<button type="button" class=${`button ${kind}`} disabled=${disabled} aria-busy=${busy || undefined} onClick=${press} ...${rest}>${children}</button>`;
}

export function Switch({ name, on, onChange }) {
  return html`<button type="button" role="switch" class="switch" aria-checked=${on ? 'true' : 'false'} aria-label=${name} onClick=${() => onChange(!on)}><span class="knob"></span><span class="switch-text" aria-hidden="true">${on ? 'on' : 'off'}</span></button>`;
}

/** A field of a form with its label. The label does not hold the field, whose options would be part of its name. */
export function Field({ label, hint, children, kind = 'field' }) {
  const id = useId();
  const described = hint ? `${id}-hint` : undefined;
  return html`<div class=${kind}><label class="label" for=${id}>${label}</label>${cloneElement([].concat(children)[0], { id, 'aria-describedby': described })}${hint && html`<p class="hint" id=${described}>${hint}</p>`}</div>`;
}

/** A search box that changes nothing but what is shown. */
export function Search({ label, value, onChange, list, placeholder }) {
  const box = useRef(null);
  // What is typed is never overwritten while it is typed.
  useEffect(() => {
    if (box.current && document.activeElement !== box.current) box.current.value = value || '';
  }, [value]);
  const timer = useRef(null);
  const changed = (event) => {
    const text = event.currentTarget.value;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(text), 120);
  };
  return html`<label class="search"><span class="label">${label}</span><input type="search" ref=${box} defaultValue=${value || ''} list=${list} placeholder=${placeholder} autocomplete="off" spellcheck=${false} onInput=${changed} /></label>`;
}

export function Empty({ title, children }) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;
}

/** What stands in place of data that could not be read, or is not there yet. */
export function Waiting({ error, what }) {
  if (error) return html`<${Empty} title=${`${what} could not be read`}><p>${error.message}</p></${Empty}>`;
  return html`<p class="waiting" aria-busy="true">Reading ${what.toLowerCase()}…</p>`;
}

export function Problem({ error }) {
  if (!error) return null;
  const texts = error.diagnostics?.map((found) => found.text).filter(Boolean) || [];
  return html`<div class="problem" role="alert"><p>${error.message}</p>${texts.map((text) => html`<pre class="diagnostic" tabindex="0">${text}</pre>`)}</div>`;
}

/** Copies a text. `label` names it; `shown` stands on the button where a label beside it says what is copied. */
export function Copy({ text, label = 'Copy', shown = label, kind = 'small' }) {
  const [done, setDone] = useState(false);
  const press = async () => {
    await copy(typeof text === 'function' ? text() : text);
    setDone(true);
    say(`${label}: copied.`);
    setTimeout(() => setDone(false), 1500);
  };
  return html`<${Button} kind=${kind} onPress=${press} aria-label=${label}>${done ? 'Copied' : shown}</${Button}>`;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the permission, or outside a secure context.
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

/** Text to copy, such as a command. */
export function Code({ label, text, copyLabel }) {
  return html`<figure class="code">${label && html`<figcaption>${label}</figcaption>`}<pre tabindex="0">${text}</pre><${Copy} text=${text} label=${copyLabel || (label ? `Copy ${label}` : 'Copy')} shown="Copy" /></figure>`;
}

/** A modal dialog. Escape closes it. */
export function Dialog({ title, onClose, children, wide }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    box.current.showModal();
    box.current.querySelector('[data-first]')?.focus();
  }, []);
  return html`<dialog ref=${box} class=${wide ? 'wide' : ''} aria-label=${title} onClose=${onClose} onClick=${(event) => event.target === box.current && box.current.close()}>
    <div class="dialog-body"><header><h2>${title}</h2><button type="button" class="button small quiet" aria-label="Close" onClick=${() => box.current.close()}>✕</button></header>${children}</div></dialog>`;
}

/** A table with a caption that only screen readers get. */
export function Table({ caption, columns, children, kind = '' }) {
  return html`<div class="table-box"><table class=${kind}><caption class="sr">${caption}</caption><thead><tr>${columns.map((column) => html`<th scope="col" class=${column.class}>${column.label ?? column}</th>`)}</tr></thead><tbody>${children}</tbody></table></div>`;
}

const CODES = { ok: '✓', warn: '!', bad: '✕', none: '–' };

/** A status with a mark, so that colour alone says nothing. */
export function Status({ status, code }) {
  const kind = status === null || status === undefined ? 'none' : status < 300 ? 'ok' : status < 500 ? 'warn' : 'bad';
  return html`<span class=${`status ${kind}`}><span class="mark" aria-hidden="true">${CODES[kind]}</span>${status ?? 'no answer'}${code && code !== status ? html` <span class="code-number">${code}</span>` : ''}</span>`;
}

export function Tag({ kind = '', children }) {
  return html`<span class=${`tag ${kind}`}>${children}</span>`;
}

/** Text with the places that match marked. */
function Marked({ text, query }) {
  if (!query) return text;
  const at = text.toLowerCase().indexOf(query);
  if (at < 0) return text;
  return html`${text.slice(0, at)}<mark>${text.slice(at, at + query.length)}</mark>${text.slice(at + query.length)}`;
}

function holds(value, query) {
  return JSON.stringify(value).toLowerCase().includes(query);
}

const PART = 50;
const LONG = 400;

function Leaf({ value, query }) {
  const [all, setAll] = useState(false);
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  const cut = text.length > LONG && !all;
  const kind = value === null ? 'null' : typeof value;
  return html`<span class=${`json-${kind}`} dir="auto"><${Marked} text=${cut ? text.slice(0, LONG) : text} query=${query} /></span>${cut && html` <button type="button" class="link" onClick=${() => setAll(true)}>… all ${number(text.length)} letters</button>`}`;
}

function Branch({ name, value, query, depth }) {
  const isList = Array.isArray(value);
  const entries = isList ? value.map((item, at) => [at, item]) : Object.entries(value);
  const found = query && holds(value, query);
  const [open, setOpen] = useState(null);
  const [count, setCount] = useState(PART);
  const isOpen = open ?? (found || depth < 1 || (depth < 2 && entries.length <= 8));
  useEffect(() => setOpen(null), [query]);
  const shown = found ? entries.filter(([key, item]) => String(key).toLowerCase().includes(query) || holds(item, query)) : entries;
  const summary = isList ? `[ ${entries.length} ]` : `{ ${entries.length} }`;
  return html`<li><button type="button" class="fold" aria-expanded=${isOpen ? 'true' : 'false'} onClick=${() => setOpen(!isOpen)}><span class="arrow" aria-hidden="true">${isOpen ? '▾' : '▸'}</span>${name !== undefined && html`<span class="json-key"><${Marked} text=${String(name)} query=${query} /></span> `}<span class="json-count">${summary}</span></button>
    ${isOpen && html`<ul>${shown.slice(0, count).map(([key, item]) => html`<${Node} key=${key} name=${key} value=${item} query=${query} depth=${depth + 1} />`)}${shown.length > count && html`<li><button type="button" class="link" onClick=${() => setCount(count + 500)}>${shown.length - count} more</button></li>`}</ul>`}</li>`;
}

function Node({ name, value, query, depth }) {
  if (value !== null && typeof value === 'object' && Object.keys(value).length > 0) return html`<${Branch} name=${name} value=${value} query=${query} depth=${depth} />`;
  const shown = value !== null && typeof value === 'object' ? html`<span class="json-count">${Array.isArray(value) ? '[ ]' : '{ }'}</span>` : html`<${Leaf} value=${value} query=${query} />`;
  return html`<li class="leaf">${name !== undefined && html`<span class="json-key"><${Marked} text=${String(name)} query=${query} /></span> `}${shown}</li>`;
}

/** A JSON value, folded, with what is searched for marked and unfolded. */
export function Json({ value, query = '' }) {
  const wanted = query.trim().toLowerCase();
  if (value === '' || value === undefined || value === null) return html`<p class="muted">No body.</p>`;
  return html`<ul class="json"><${Node} value=${value} query=${wanted} depth=${0} /></ul>`;
}

/** Stars with the number for those who do not see them. */
export function Stars({ rating }) {
  return html`<span class="stars" role="img" aria-label=${`${rating} of 5 stars`}><span aria-hidden="true">${'★'.repeat(rating)}${'☆'.repeat(Math.max(0, 5 - rating))}</span></span>`;
}
