// The scenario of the world as it was loaded, and what is wrong with it.
import { html, useEffect, useRef } from '../lib.js';
import { admin, inWorld, list } from '../api.js';
import { route, setQuery, world } from '../state.js';
import { listen } from '../stream.js';
import { Copy, Empty, Field, Search, Tag, Waiting, brief, moment, number, useData, useLater } from '../ui.js';

const MOST_LINES = 3000;

function Source({ text, problems, query }) {
  const lines = text.split('\n');
  const wanted = query.toLowerCase();
  const at = new Map(problems.filter((one) => one.inFile).map((one) => [one.line, one]));
  const first = useRef(null);
  useEffect(() => { if (wanted) first.current?.querySelector('mark')?.scrollIntoView({ block: 'center' }); }, [wanted]);
  return html`<pre class="source" tabindex="0" ref=${first} aria-label="The file">${lines.slice(0, MOST_LINES).map((line, place) => {
    const found = at.get(place + 1);
    const hit = wanted ? line.toLowerCase().indexOf(wanted) : -1;
    return html`<span class=${found ? `line ${found.severity}` : 'line'} id=${`line-${place + 1}`}><span class="line-number">${place + 1}</span><span class=${line.trimStart().startsWith('#') ? 'line-text muted' : 'line-text'}>${hit < 0 ? line : html`${line.slice(0, hit)}<mark>${line.slice(hit, hit + wanted.length)}</mark>${line.slice(hit + wanted.length)}`}${'\n'}</span></span>`;
  })}</pre>${lines.length > MOST_LINES && html`<p class="muted">${number(lines.length - MOST_LINES)} more lines.</p>`}`;
}

export function Scenario() {
  const { name: asked, text: query = '' } = route.value.query;
  const [found, error, reload] = useData(async () => {
    const all = (await list('scenarios?limit=1000')).items;
    const name = asked || (await admin('GET', inWorld('').slice(0, -1))).scenario;
    return { all, name, ...(await admin('GET', `scenarios/${encodeURIComponent(name)}`)) };
  }, [asked, world.value]);
  const later = useLater(reload, 200);
  useEffect(() => {
    const poll = setInterval(() => { if (!document.hidden) later(); }, 5000);
    const stop = listen((kind) => { if (['reload', 'open'].includes(kind)) later(); });
    return () => { clearInterval(poll); stop(); };
  }, [asked, world.value]);
  if (!found) return html`<${Waiting} error=${error} what="The scenario" />`;
  const problems = found.diagnostics.map((one) => ({ ...one, inFile: found.file?.endsWith(one.file) }));
  const errors = problems.filter((one) => one.severity === 'error').length;
  return html`<div class="bar"><div class="filters"><${Field} kind="picker" label="Scenario"><select value=${found.name} onChange=${(event) => setQuery({ name: event.currentTarget.value })}>${[...new Set([found.name, ...found.all.map((one) => one.name)])].map((name) => html`<option value=${name} selected=${name === found.name}>${name}</option>`)}</select></${Field}><${Search} label="Search the file" value=${query} onChange=${(value) => setQuery({ text: value })} /></div>${found.text && html`<div class="actions"><${Copy} text=${found.text} label="Copy the file" kind="" /></div>`}</div>
    ${errors > 0 && html`<p class="notice bad" role="alert"><span><b>The last reload failed.</b> ${found.generation > 0 ? `Generation ${found.generation}, the last good one, is served until this is mended.` : 'Nothing of it is served until this is mended.'}</span></p>`}
    <section class="card"><h2 class="wrap">${found.name}</h2><p class="wrap" dir="auto">${brief(found.served?.summary, 400)}</p><dl class="facts wide">
      <div><dt>Generation</dt><dd>${found.generation}</dd></div><div><dt>Loaded</dt><dd>${found.loadedAt ? moment(found.loadedAt) : 'never'}</dd></div>
      <div class="whole"><dt>File</dt><dd class="mono wrap">${found.file ?? 'sent over HTTP'}</dd></div>
      ${['businesses', 'locations', 'reviews', 'questions', 'faults'].map((what) => html`<div><dt>${what[0].toUpperCase() + what.slice(1)}</dt><dd>${number(found.served?.[what] ?? 0)}</dd></div>`)}</dl></section>
    <section aria-labelledby="problems"><h2 id="problems">Problems</h2>${problems.length === 0 ? html`<p class="muted">None: the scenario is served as its file is.</p>` : html`<ul class="problems">${problems.map((one) => html`<li class="card"><p><${Tag} kind=${one.severity}>${one.severity}</${Tag}> <b>${one.message}</b> <span class="muted">${one.file}:${one.line} · ${one.code}</span></p><pre class="diagnostic" tabindex="0">${one.text}</pre></li>`)}</ul>`}</section>
    <section aria-labelledby="file"><h2 id="file">File</h2>${found.text ? html`<${Source} text=${found.text} problems=${problems} query=${query} />` : html`<${Empty} title="There is no file"><p>The scenario was sent over HTTP, or its file can no longer be read.</p></${Empty}>`}</section>`;
}
