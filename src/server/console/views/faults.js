// The faults of the world, in the order in which they are considered.
import { html, useEffect, useRef, useState } from '../lib.js';
import { admin, attempt, inWorld, list, send } from '../api.js';
import { notify, route, setQuery, world } from '../state.js';
import { listen } from '../stream.js';
import { Button, Copy, Empty, Field, Problem, Search, Switch, Table, Tag, Waiting, brief, number, useData, useLater } from '../ui.js';
import { block, fault as ordered, faults as asYaml, flow } from '../yaml.js';

const EXAMPLE = 'operation: reviews\nhits: 1\nthen: {status: 503}\n';

function when({ operation, when: condition, per, hits, chance, exactly, during }) {
  const parts = [operation && [].concat(operation).join(', '), condition && flow(condition).replace(/^\{|\}$/g, ''), hits !== undefined && `hits ${flow(hits)}${per ? ` per ${per}` : ''}`, chance !== undefined && `chance ${flow(chance)}`, exactly && `exactly ${exactly}`, during && `during ${during}`];
  return parts.filter(Boolean).join(' · ') || 'all requests';
}

/** How often a fault strikes before it is used up; null if that has no end, or if each key or request counts for itself. */
function most({ hits, per, chance, exactly }) {
  if ((per && per !== 'world') || chance !== undefined || exactly) return null;
  if (typeof hits === 'number') return 1;
  const [, first, last] = /^(\d+)-(\d+)$/.exec(hits) ?? [];
  return last ? last - first + 1 : null;
}

/** The form in which a fault is written. `edited` is the fault to begin with. */
function Edit({ edited, form, onSaved, onCancel }) {
  const [name, setName] = useState('');
  const [text, setText] = useState(EXAMPLE);
  const [error, setError] = useState(null);
  useEffect(() => {
    setError(null);
    setName(edited?.name ?? '');
    const { name: _, ...rest } = edited?.fault ?? {};
    setText(edited ? `${block(ordered(rest))}\n` : EXAMPLE);
  }, [edited]);
  const save = async (event) => {
    event.preventDefault();
    try {
      const response = await send('PUT', `/__admin/${inWorld(`faults/${encodeURIComponent(name)}`)}`, text);
      const saved = await response.json();
      setError(saved.diagnostics.length ? { message: 'Saved, with warnings:', diagnostics: saved.diagnostics } : null);
      notify(`The fault ${saved.name} is ${response.status === 201 ? 'added, before all others' : 'replaced, at its place'}.`, 'good');
      onSaved(saved);
    } catch (problem) { setError(problem); }
  };
  const title = edited ? `Edit ${edited.name}` : 'Add a fault';
  return html`<section class="card" aria-labelledby="fault-form"><h2 id="fault-form">${title}</h2>
    <form ref=${form} aria-label=${title} onSubmit=${save}>
      <div class="name-and-text"><${Field} label="Name"><input value=${name} required readonly=${Boolean(edited)} autocomplete="off" spellcheck=${false} onInput=${(event) => setName(event.currentTarget.value)} /></${Field}>
      <${Field} label="YAML" hint="As in a scenario. A new fault is considered before all others."><textarea rows="7" required spellcheck=${false} class="mono" value=${text} onInput=${(event) => setText(event.currentTarget.value)}></textarea></${Field}></div>
      <${Problem} error=${error} />
      <div class="form-end">${edited && html`<${Button} onPress=${onCancel}>Cancel</${Button}>`}<button class="button primary" type="submit">Save</button></div>
    </form></section>`;
}

export function Faults() {
  const [found, error, reload] = useData(() => list(inWorld('faults?limit=1000')), [world.value]);
  const [edited, setEdited] = useState(null);
  const form = useRef(null);
  const later = useLater(reload, 300);
  useEffect(() => listen((kind) => { if (['fault', 'reload', 'reset', 'request', 'open'].includes(kind)) later(); }), []);
  const { text = '' } = route.value.query;
  if (!found) return html`<${Waiting} error=${error} what="The faults" />`;
  const shown = found.items.filter(({ name, fault }) => `${name} ${flow(fault)}`.toLowerCase().includes(text.toLowerCase()));
  const change = (name, enabled) => attempt(async () => {
    await admin('PATCH', inWorld(`faults/${encodeURIComponent(name)}`), { enabled });
    notify(`${name} is ${enabled ? 'on' : 'off'}.`, 'info', 'fault');
    await reload();
  });
  const remove = async (name) => {
    await admin('DELETE', inWorld(`faults/${encodeURIComponent(name)}`));
    if (edited?.name === name) setEdited(null);
    notify(`The fault ${name} is removed from this world.`);
    await reload();
  };
  const focus = () => form.current?.querySelector('input:not([readonly]), textarea')?.focus();
  const edit = (fault) => {
    setEdited(fault);
    setTimeout(() => {
      form.current?.scrollIntoView({ block: 'nearest' });
      focus();
    });
  };
  return html`<div class="bar"><div class="filters" role="search"><${Search} label="Filter" value=${text} placeholder="name or effect" onChange=${(value) => setQuery({ text: value })} /></div>
      <div class="actions"><${Button} onPress=${() => edit(null)}>Add a fault</${Button}>${found.items.length > 0 && html`<${Copy} text=${() => asYaml(found.items.map((one) => one.fault))} label="Copy as YAML" kind="" />`}</div></div>
    <div class="split roomy">
      <div>${found.items.length === 0 ? html`<${Empty} title="No faults"><p>Every call is answered as the API answers it. Add one with the form, or open a call in Live and press <b>Make this fail</b>.</p></${Empty}>` : html`
        <${Table} caption="Faults, in the order in which they are considered" kind="faults" columns=${[{ label: 'On', class: 'c-on' }, 'Fault', 'Effect', { label: 'Hits', class: 'c-hits right' }, { label: 'Actions', class: 'c-two right' }]}>
        ${shown.map((one) => html`<tr key=${one.name}>
          <td><${Switch} name=${one.name} on=${one.enabled} onChange=${(enabled) => change(one.name, enabled)} /></td>
          <th scope="row"><span class="wrap" dir="auto">${brief(one.name)}</span>${one.source === 'admin' && html` <${Tag} kind="changed">changed here</${Tag}>`}${one.hitCount >= (most(one.fault) ?? Infinity) && html` <${Tag}>used up</${Tag}>`}<small class="muted wrap">${brief(when(one.fault))}</small></th>
          <td class="mono wrap">${brief(flow(one.fault.then), 240)}</td>
          <td class="right" data-label="Hits">${number(one.hitCount)}${most(one.fault) && html`<span class="muted"> of ${number(most(one.fault))}</span>`}</td>
          <td class="right"><div class="row-actions"><${Button} kind="small" data-row onPress=${() => edit(one)} aria-label=${`Edit ${one.name}`}>Edit</${Button}><${Button} kind="small" onPress=${() => remove(one.name)} aria-label=${`Remove ${one.name}`}>Remove</${Button}></div></td>
        </tr>`)}</${Table}>
        ${shown.length === 0 && html`<${Empty} title="No fault matches"><p>The filter hides all ${found.items.length} faults.</p></${Empty}>`}`}</div>
      <${Edit} edited=${edited} form=${form} onSaved=${reload} onCancel=${() => setEdited(null)} />
    </div>`;
}
