// Calls as they come.
import { html, useEffect, useMemo } from '../lib.js';
import { admin, inWorld } from '../api.js';
import { MOST, calls, held, pause, paused, problem, rate } from '../calls.js';
import { address, route, setQuery } from '../state.js';
import { Button, Code, Empty, Search, Status, Table, Tag, clockTime, duration, number, useData } from '../ui.js';

const has = (value, wanted) => !wanted || String(value ?? '').toLowerCase().includes(wanted.trim().toLowerCase());

/** Whether a status, or the code beside it, begins as it is typed; `4xx` is a class. */
function hasStatus(entry, wanted) {
  if (!wanted) return true;
  const text = wanted.trim().toLowerCase().replace(/x+$/, '');
  return [entry.status ?? 'no answer', entry.code ?? ''].some((value) => String(value).toLowerCase().startsWith(text));
}

function matches(entry, { operation, status, fault, text }) {
  return has(entry.operation ?? 'none', operation) && hasStatus(entry, status) && has(entry.fault, fault)
    && (!text || has([entry.method, entry.path, ...Object.entries(entry.query).flat(2), entry.key, entry.code, entry.seq, ...entry.notes].join(' '), text));
}

function Row({ entry, query }) {
  return html`<tr>
    <td class="time"><a class="row-link" data-row href=${address('Live', entry.seq, query)}><span class="sr">Call ${entry.seq} at </span>${clockTime(entry.at)}</a></td>
    <td class="cut operation" title=${`${entry.method} ${entry.path}`}>${entry.operation ?? html`<span class="muted">none</span>`} <span class="muted path">${entry.path}</span></td>
    <td class="cut">${entry.key ?? html`<span class="muted">none</span>`}</td>
    <td><${Status} status=${entry.status} code=${entry.code} /></td>
    <td class="cut">${entry.fault && html`<${Tag} kind="fault">${entry.fault}</${Tag}>`}</td>
    <td class="right">${entry.hungUpMs ? html`<span title="The client left before it had its answer">left</span>` : duration(entry.durationMs)}</td>
  </tr>`;
}

function First() {
  const [world] = useData(() => admin('GET', inWorld('').slice(0, -1)), []);
  const [requests] = useData(() => admin('GET', inWorld('example')), []);
  if (!world) return null;
  const curl = requests?.curl;
  return html`<${Empty} title="No calls yet">
    <p>Point your client at this base URL. Each call appears here as it is answered.</p>
    <${Code} label="Base URL" text=${world.baseUrl} />
    ${curl && html`<${Code} label="A first call" text=${curl} copyLabel="Copy the call" />`}
  </${Empty}>`;
}

export function Live() {
  const { operation, status, fault, text } = route.value.query;
  const all = calls.value;
  const query = { operation, status, fault, text };
  const shown = useMemo(() => all.filter((entry) => matches(entry, query)), [all, operation, status, fault, text]);
  useEffect(() => {
    const key = (event) => {
      if (event.key === 'p' && !event.target.matches('input, textarea, select') && !event.ctrlKey && !event.metaKey && !document.querySelector('dialog[open]')) pause(!paused.value);
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  const names = [...new Set(all.map((entry) => entry.operation).filter(Boolean))];
  const count = shown.length === all.length ? `${number(all.length)} calls` : `${number(shown.length)} of ${number(all.length)} calls`;
  return html`<div class="bar">
      <div class="filters" role="search">
        <${Search} label="Operation" value=${operation} list="operations" placeholder="reviews" onChange=${(value) => setQuery({ operation: value })} />
        <${Search} label="Status" value=${status} placeholder="429, 5xx" onChange=${(value) => setQuery({ status: value })} />
        <${Search} label="Fault" value=${fault} placeholder="name" onChange=${(value) => setQuery({ fault: value })} />
        <${Search} label="Text" value=${text} placeholder="path, query, key, notes" onChange=${(value) => setQuery({ text: value })} />
        <datalist id="operations">${names.map((name) => html`<option value=${name}></option>`)}</datalist>
      </div>
      <div class="actions">${paused.value
        ? html`<${Button} kind="primary" onPress=${() => pause(false)}>Resume</${Button}>`
        : html`<${Button} onPress=${() => pause(true)}>Pause</${Button}>`}</div>
    </div>
    <p class="summary">${count}${all.length >= MOST ? `, the newest ${MOST} are kept here` : ''}${rate.value > 1 ? ` · ${number(rate.value)} a second` : ''}${rate.value > 100 && shown.length > 100 ? ', so only the newest 100 are drawn' : ''}${paused.value ? ` · paused, ${number(held.value)} wait` : ''}${shown.length > 0 ? ' · Press a call to see why it was answered so, and to make it fail.' : ''}</p>
    ${problem.value && html`<${Empty} title="The journal could not be read"><p>${problem.value}</p></${Empty}>`}
    ${all.length === 0 && !problem.value && html`<${First} />`}
    ${all.length > 0 && shown.length === 0 && html`<${Empty} title="No call matches"><p>The filters hide all ${number(all.length)} calls.</p><${Button} onPress=${() => setQuery({ operation: '', status: '', fault: '', text: '' })}>Clear the filters</${Button}></${Empty}>`}
    ${shown.length > 0 && html`<${Table} caption="Calls, the newest first" kind="calls" columns=${[{ label: 'Time', class: 'c-time' }, { label: 'Operation', class: 'c-operation' }, { label: 'Key', class: 'c-key' }, { label: 'Status', class: 'c-status' }, { label: 'Fault', class: 'c-fault' }, { label: 'Duration', class: 'c-duration right' }]}>
      ${shown.slice(0, rate.value > 100 ? 100 : MOST).map((entry) => html`<${Row} key=${entry.seq} entry=${entry} query=${query} />`)}</${Table}>`}`;
}
