// Worlds: choose, make, reset, reseed and remove, and what a client needs to use one.
import { html, useRef, useState } from '../lib.js';
import { admin, list } from '../api.js';
import { go, notify, route, setQuery, world } from '../state.js';
import { Button, Code, Field, Problem, Search, Table, Tag, Waiting, number, useData } from '../ui.js';

const PAGE = 200;

function Lines({ name }) {
  const [found] = useData(async () => {
    const path = `worlds/${encodeURIComponent(name)}`;
    const [one, example] = await Promise.all([admin('GET', path), admin('GET', `${path}/example`)]);
    return { ...one, ...example };
  }, [name]);
  if (!found) return null;
  const { baseUrl, key, call } = found;
  const headers = { 'x-api-key': key, ...(call.headers || {}), 'content-type': 'application/json' };
  const js = `const answer = await fetch('${baseUrl}${call.path}', {\n  method: 'POST',\n  headers: ${JSON.stringify(headers)},\n  body: JSON.stringify(${JSON.stringify(call.body)}),\n});`;
  const python = `requests.post("${baseUrl}${call.path}", headers=${JSON.stringify(headers)}, json=${JSON.stringify(call.body).replaceAll('null', 'None').replaceAll('true', 'True').replaceAll('false', 'False')})`;
  return html`<section class="card" aria-labelledby="use"><h2 id="use">Use ${found.name}</h2>
    <div class="columns"><${Code} label="Base URL" text=${baseUrl} /><${Code} label="Key" text=${key} /></div>
    <${Code} label="curl" text=${found.curl} /><${Code} label="JavaScript" text=${js} /><${Code} label="Python" text=${python} /></section>`;
}

function Make({ form, onMade }) {
  const [scenarios] = useData(() => list('scenarios?limit=1000'), []);
  const [error, setError] = useState(null);
  const make = async (event) => {
    event.preventDefault();
    const fields = event.currentTarget;
    const data = new FormData(fields);
    try {
      const made = await admin('POST', 'worlds', { name: data.get('name').trim() || undefined, scenario: data.get('scenario') || undefined });
      setError(null);
      fields.reset();
      notify(`The world ${made.name} is made. Its key covers all accounts: ${made.apiKey}`, 'good');
      onMade(made);
    } catch (problem) { setError(problem); }
  };
  return html`<section class="card" aria-labelledby="make"><h2 id="make">Make a world</h2><form ref=${form} aria-label="Make a world" onSubmit=${make}>
    <${Field} label="Name" hint="Letters, digits, . _ and -"><input name="name" autocomplete="off" spellcheck=${false} maxlength="64" /></${Field}>
    <${Field} label="Scenario"><select name="scenario"><option value="">the default</option>${(scenarios?.items || []).map(({ name }) => html`<option value=${name}>${name}</option>`)}</select></${Field}>
    <${Problem} error=${error} />
    <div class="form-end"><button class="button primary" type="submit">Make</button></div></form></section>`;
}

export function Worlds({ refresh }) {
  const { text = '' } = route.value.query;
  const [found, error, reload] = useData(() => list(`worlds?limit=${PAGE}`), []);
  const [shownDefault] = useData(() => admin('GET', 'worlds/default'), []);
  const form = useRef(null);
  if (!found) return html`<${Waiting} error=${error} what="The worlds" />`;
  const changed = async () => { await reload(); refresh(); };
  const choose = (name) => { go(`/console/worlds?${new URLSearchParams({ world: name })}`); notify(`The console shows ${name}.`, 'info', 'world'); };
  const reset = (name, body, what) => async () => {
    const { seed } = await admin('POST', `worlds/${encodeURIComponent(name)}/reset`, body);
    notify(`${name} is ${what}. Its seed is ${seed}.`, 'good', 'reset');
    await changed();
  };
  const remove = (name) => async () => {
    await admin('DELETE', `worlds/${encodeURIComponent(name)}`);
    notify(`The world ${name} is removed.`);
    if (name === world.value) choose('default');
    await changed();
  };
  const current = world.value === 'default' ? shownDefault?.name : world.value;
  const shown = found.items.filter((one) => `${one.name} ${one.scenario}`.toLowerCase().includes(text.toLowerCase()));
  return html`<div class="bar"><div class="filters" role="search"><${Search} label="Filter" value=${text} placeholder="name or scenario" onChange=${(value) => setQuery({ text: value })} /></div><div class="actions"><${Button} onPress=${() => form.current.querySelector('input').focus()}>Make a world</${Button}></div></div>
    <div class="split"><div>
      <${Table} caption="Worlds" columns=${['World', 'Scenario', { label: 'Seed', class: 'right' }, { label: 'Actions', class: 'right' }]}>
        ${shown.map((one) => html`<tr key=${one.name} class=${one.name === current ? 'current' : ''}><th scope="row"><span class="wrap">${one.name}</span>${one.name === current && html` <${Tag}>shown</${Tag}>`}${one.standing && html`<small class="muted">standing</small>`}</th><td class="wrap" data-label="Scenario">${one.scenario}</td><td class="right mono" data-label="Seed">${one.seed}</td>
          <td class="right"><div class="row-actions"><${Button} kind="small" data-row onPress=${() => choose(one.name)}>Choose</${Button}><${Button} kind="small" onPress=${reset(one.name, {}, 'reset')}>Reset</${Button}><${Button} kind="small" onPress=${reset(one.name, { seed: 'random' }, 'reseeded')}>Reseed</${Button}><${Button} kind="small" disabled=${one.standing} title=${one.standing ? 'A standing world stays' : undefined} onPress=${remove(one.name)}>Remove</${Button}></div></td></tr>`)}
      </${Table}>${found.total > found.items.length && html`<p class="summary">The first ${number(found.items.length)} of ${number(found.total)} worlds.</p>`}</div>
      <div class="stack"><${Make} form=${form} onMade=${changed} />${current && html`<${Lines} name=${current} />`}</div></div>`;
}
