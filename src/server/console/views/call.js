// One call: what was asked and answered, why it was answered so, and what to do with it.
import { html, useEffect, useMemo, useState } from '../lib.js';
import { admin, inWorld } from '../api.js';
import { address, go, notify, route, world } from '../state.js';
import { listen } from '../stream.js';
import { templates } from '../templates.js';
import { Button, Copy, Dialog, Empty, Field, Json, Problem, Search, Status, Table, Tag, Waiting, brief, clockTime, duration, moment, unturned, useData, useLater } from '../ui.js';
import { faults as asYaml } from '../yaml.js';

const MARKS = { passed: ['✓', 'ok'], failed: ['✕', 'bad'], replaced: ['✕', 'warn'], changed: ['!', 'warn'], skipped: ['–', 'none'] };

function Outcome({ outcome }) {
  const [mark, kind] = MARKS[outcome] || ['–', 'none'];
  return html`<span class=${`status ${kind}`}><span class="mark" aria-hidden="true">${mark}</span>${outcome}</span>`;
}

/** The sentence that answers the question of the section. */
function reason(entry) {
  const stop = entry.checks.find((check) => check.outcome === 'failed' || check.outcome === 'replaced');
  if (stop?.outcome === 'replaced') return html`The fault <b>${entry.fault}</b> answered in place of the API.`;
  if (stop) return html`The check <b>${stop.check}</b> failed${stop.detail ? html`: ${stop.detail}` : ''}.`;
  const changed = entry.checks.find((check) => check.outcome === 'changed');
  if (changed) return html`All checks passed, and the fault <b>${entry.fault}</b> changed the answer.`;
  return 'All checks passed, and the operation answered.';
}

function Decision({ decision, fault }) {
  if (!decision) return html`<p class="muted">No fault applied to this call.</p>`;
  const { attempt, draw, threshold, generation } = decision;
  return html`<dl class="facts">
    <div><dt>Fault</dt><dd>${fault ?? 'counted the call, and did not strike'}</dd></div>
    <div><dt>Counted before</dt><dd>${attempt}</dd></div>
    <div><dt>Draw</dt><dd>${draw === null ? 'none: it leaves nothing to chance' : draw}</dd></div>
    <div><dt>Threshold</dt><dd>${threshold === null ? 'none' : html`${threshold} ${draw < threshold ? '(the draw is below: it strikes)' : '(the draw is not below: it does not)'}`}</dd></div>
    <div><dt>Generation</dt><dd>${generation}</dd></div>
  </dl>
  ${threshold !== null && html`<div class="draw" aria-hidden="true"><span class="draw-part" style=${{ width: `${threshold * 100}%` }}></span><span class="draw-mark" style=${{ left: `${draw * 100}%` }}></span></div>`}`;
}

function Why({ entry }) {
  return html`<section class="card" aria-labelledby="why"><h2 id="why">Why it was answered so</h2>
    <p class="lead">${reason(entry)}</p>
    <div class="columns why">
      <div><h3>Order of checks</h3><${Table} caption="Order of checks" kind="compact" columns=${['Check', 'Result', 'Detail']}>
        ${entry.checks.map(({ check, outcome, detail }) => html`<tr class=${outcome === 'skipped' ? 'faint' : ''}><th scope="row">${check}</th><td><${Outcome} outcome=${outcome} /></td><td class="wrap">${detail}</td></tr>`)}</${Table}></div>
      <div><h3>Fault decision</h3><${Decision} decision=${entry.decision} fault=${entry.fault} />
        <h3>Notes</h3>${entry.notes.length ? html`<ul class="notes">${entry.notes.map((note) => html`<li dir="auto">${brief(unturned(note), 400)}</li>`)}</ul>` : html`<p class="muted">None.</p>`}</div>
    </div></section>`;
}

function Chain({ entry }) {
  const { chain } = entry;
  return html`<section class="card" aria-labelledby="chain"><h2 id="chain">Chain of retries</h2>
    ${chain.length < 2 ? html`<p class="muted">The client sent this request once so far. Its fingerprint is <code>${entry.fingerprint}</code>.</p>` : html`
    <p class="muted">The same request, ${chain.length} times. Its fingerprint is <code>${entry.fingerprint}</code>.</p>
    <${Table} caption="The tries of this request" kind="compact" columns=${['Call', 'Time', 'Waited', 'Status', 'Fault', { label: 'Duration', class: 'right' }]}>
      ${chain.map((one, at) => html`<tr class=${one.seq === entry.seq ? 'current' : ''}><th scope="row">${one.seq === entry.seq ? html`${one.seq} <span class="muted">this</span>` : html`<a data-row href=${address('Live', one.seq)}>Call ${one.seq}</a>`}</th><td>${clockTime(one.at)}</td><td>${at > 0 ? duration(one.elapsedMs - chain[at - 1].elapsedMs) : ''}</td><td><${Status} status=${one.status} code=${one.code} /></td><td>${one.fault && html`<${Tag} kind="fault">${one.fault}</${Tag}>`}</td><td class="right">${duration(one.durationMs)}</td></tr>`)}
    </${Table}>`}</section>`;
}

function Headers({ headers }) {
  const lines = Object.entries(headers || {}).flatMap(([name, value]) => [].concat(value).map((one) => [name, one]));
  return html`<details class="headers"><summary>Headers <span class="muted">${lines.length}</span></summary><dl>${lines.map(([name, value]) => html`<div><dt>${name}</dt><dd dir="auto">${brief(value, 600)}</dd></div>`)}</dl></details>`;
}

function Exchange({ entry }) {
  const [text, setText] = useState('');
  const query = Object.entries(entry.query);
  const status = entry.status ?? 'no answer';
  return html`<section aria-labelledby="exchange"><div class="section-head"><h2 id="exchange">Request and answer</h2><${Search} label="Search in bodies" value=${text} onChange=${setText} /></div>
    <div class="columns">
      <div class="card"><h3>Request</h3><p class="mono wrap">${entry.method} ${brief(entry.path, 400)}${query.length > 0 && html`<span class="muted" dir="auto">?${brief(query.map(([name, value]) => `${name}=${value}`).join('&'), 600)}</span>`}</p>
        <${Headers} headers=${entry.headers} /><h4>Body</h4><${Json} value=${entry.body} query=${text} />${entry.bodyBytesNotKept && html`<p class="muted">${entry.bodyBytesNotKept} more bytes were not kept.</p>`}</div>
      <div class="card"><h3>Answer</h3><p class="mono">${status}</p>
        ${entry.response ? html`<${Headers} headers=${entry.response.headers} /><h4>Body</h4><${Json} value=${entry.response.body} query=${text} />${entry.response.bodyBytesNotKept && html`<p class="muted">${entry.response.bodyBytesNotKept} more bytes were not kept.</p>`}` : html`<p class="muted">The client got no answer.</p>`}</div>
    </div></section>`;
}

const OWN = ['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding'];
const quote = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

/** The call as a command. Masked keys are replaced by a key that works. */
function curl(entry, key) {
  const reveal = (text) => (entry.key && entry.key !== 'key:unknown' && key ? String(text).replaceAll(entry.key, key) : String(text));
  const query = Object.entries(entry.query).flatMap(([name, value]) => [].concat(value).map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(reveal(one))}`));
  const url = `${location.origin}/w/${encodeURIComponent(entry.world)}${entry.path}${query.length ? `?${query.join('&')}` : ''}`;
  const lines = [`curl -i -X ${entry.method} ${quote(url)}`];
  for (const [name, value] of Object.entries(entry.headers)) {
    if (!OWN.includes(name)) for (const one of [].concat(value)) lines.push(`-H ${quote(`${name}: ${reveal(one)}`)}`);
  }
  if (entry.body !== null && entry.body !== '' && entry.body !== undefined) lines.push(`--data-raw ${quote(reveal(typeof entry.body === 'string' ? entry.body : JSON.stringify(entry.body)))}`);
  return lines.join(' \\\n  ');
}

function MakeFail({ entry, onClose }) {
  const ways = templates(entry.operation);
  const [chosen, setChosen] = useState(0);
  const [hits, setHits] = useState(1);
  const [all, setAll] = useState(false);
  const [error, setError] = useState(null);
  const { word, then } = ways[chosen];
  const name = `call-${entry.seq}-${word}`;
  const count = Math.max(1, Math.floor(Number(hits)) || 1);
  const fault = { name, operation: entry.operation, ...(all ? {} : { when: { fingerprint: entry.fingerprint } }), hits: count === 1 ? 1 : `1-${count}`, then };
  const yaml = asYaml([fault]);
  const add = async (event) => {
    event.preventDefault();
    try {
      const { name: _, ...definition } = fault;
      await admin('PUT', inWorld(`faults/${encodeURIComponent(name)}`), definition);
      const what = all ? `a call of ${entry.operation}` : 'this request';
      notify(`The fault ${name} is on: it strikes the next ${count === 1 ? `time ${what} comes` : `${count} times that ${what} comes`}.`, 'good', 'fault');
      onClose();
    } catch (problem) { setError(problem); }
  };
  return html`<${Dialog} title="Make this fail" onClose=${onClose} wide=${true}>
    <form onSubmit=${add}>
      <p class="muted">The next time it comes, it is answered like this. Choose how.</p>
      <fieldset class="radios"><legend class="sr">How it fails</legend>${ways.map(({ label, hint }, at) => html`<label class="radio"><input type="radio" name="template" value=${at} checked=${at === chosen} data-first=${at === 0 || undefined} onChange=${() => setChosen(at)} /><span>${label}<small aria-hidden="true">${hint}</small></span></label>`)}</fieldset>
      <div class="field-pair"><${Field} label="Which calls" hint=${all ? 'Whatever it asks for' : 'Others are not touched'}><select onChange=${(event) => setAll(event.currentTarget.value === 'all')}><option value="this" selected=${!all}>this request and its retries</option><option value="all" selected=${all}>any call of ${entry.operation}</option></select></${Field}>
        <${Field} label="Hits" hint="How many times before it succeeds again"><input type="number" min="1" max="1000" value=${hits} onInput=${(event) => setHits(event.currentTarget.value)} /></${Field}></div>
      <figure class="code"><figcaption>As in the scenario</figcaption><pre tabindex="0">${yaml}</pre><${Copy} text=${yaml} label="Copy as YAML" /></figure>
      <${Problem} error=${error} />
      <div class="form-end"><${Button} onPress=${onClose}>Cancel</${Button}><button class="button primary" type="submit">Add fault</button></div>
    </form></${Dialog}>`;
}

export function Call({ id }) {
  const [entry, error, reload] = useData(() => admin('GET', inWorld(`requests/${encodeURIComponent(id)}`)), [id, world.value]);
  const [example] = useData(() => admin('GET', inWorld('example')), [world.value]);
  const [failing, setFailing] = useState(false);
  const { query } = route.value;
  // A later try of the same request belongs to the chain.
  const later = useLater(reload, 500);
  const fingerprint = entry?.fingerprint;
  useEffect(() => listen((kind, data) => { if (kind === 'request' && fingerprint && data.texts.some((text) => text.includes(fingerprint))) later(); }), [fingerprint]);
  const command = useMemo(() => (entry ? curl(entry, example?.key) : ''), [entry, example]);
  const back = html`<a class="back" href=${address('Live', undefined, query)}>All calls</a>`;
  if (!entry) return html`${back}${error?.status === 404 ? html`<${Empty} title="The journal has no such call"><p>${error.message}</p></${Empty}>` : html`<${Waiting} error=${error} what="The call" />`}`;
  const again = async () => {
    const sent = await admin('POST', inWorld(`requests/${entry.seq}/resend`));
    notify(`Sent again as call ${sent.seq}: ${sent.status ?? 'no answer'}${sent.code ? ` (code ${sent.code})` : ''}.`, 'good');
    go(address('Live', sent.seq, query));
  };
  const message = entry.status >= 400 && typeof entry.response?.body?.message === 'string' ? entry.response.body.message : '';
  return html`${back}
    <div class="call-head"><div><p class="call-title"><${Status} status=${entry.status} code=${entry.code} /> ${message && html`<span class="wrap" dir="auto">${brief(message)}</span>`}${entry.fault && html` <${Tag} kind="fault">${entry.fault}</${Tag}>`}</p>
      <p class="mono wrap">${entry.method} ${brief(entry.path, 400)}</p>
      <p class="muted">${entry.operation ?? 'no operation'} · ${moment(entry.at)} · ${entry.key ?? 'no key'} · try ${entry.attempt} · ${duration(entry.durationMs)}${entry.hungUpMs ? ' · the client left before the end' : ''}</p></div>
      <div class="actions">${entry.operation && html`<${Button} kind="primary" onPress=${() => setFailing(true)}>Make this fail</${Button}>`}<${Button} onPress=${again}>Send again</${Button}><${Copy} text=${command} label="Copy as curl" kind="" /></div></div>
    <${Why} entry=${entry} /><${Chain} entry=${entry} /><${Exchange} entry=${entry} />
    ${failing && html`<${MakeFail} entry=${entry} onClose=${() => setFailing(false)} />`}`;
}
