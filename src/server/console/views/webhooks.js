// Subscriptions, deliveries with their attempts, events to emit, and receivers to try them with.
import { html, useEffect, useState } from '../lib.js';
import { admin, attempt, inWorld, list } from '../api.js';
import { notify, route, setQuery, world } from '../state.js';
import { listen } from '../stream.js';
import { Button, Copy, Empty, Field, Json, Problem, Search, Table, Tag, Waiting, brief, clockTime, duration, number, useData, useLater } from '../ui.js';

const RECEIVERS = [['ok', 'answers 200'], ['error', 'answers 500'], ['slow', 'answers 200 after 3 s'], ['never', 'does not answer']];
const MARK = { delivered: ['✓', 'ok'], pending: ['…', 'none'], dead: ['✕', 'bad'] };

function State({ status }) {
  const [mark, kind] = MARK[status];
  return html`<span class=${`status ${kind}`}><span class="mark" aria-hidden="true">${mark}</span>${status}</span>`;
}

function Attempts({ delivery }) {
  return html`<div class="attempts">${delivery.reason && html`<p>Reason: ${delivery.reason}</p>`}
    ${delivery.attempts.length === 0 && html`<p class="muted">No attempt was made yet.</p>`}
    ${delivery.attempts.map((one, at) => html`<section class="attempt" key=${at}><h4>Attempt ${at + 1} <span class="muted">${clockTime(one.at)} · ${one.durationMs === null ? 'under way' : duration(one.durationMs)}</span></h4>
      <div class="columns"><div><h5>Request</h5><dl class="plain">${Object.entries(one.request?.headers || {}).map(([name, value]) => html`<div><dt>${name}</dt><dd>${String(value)}</dd></div>`)}</dl><${Json} value=${one.request?.body} /></div>
      <div><h5>Response</h5>${one.error ? html`<p class="bad-text">${one.error}</p>` : one.response ? html`<p class="mono">${one.response.status}</p><${Json} value=${one.response.body} />` : html`<p class="muted">None yet.</p>`}</div></div></section>`)}</div>`;
}

/** A receiver of this world by its name, any other endpoint whole. */
const short = (endpoint) => endpoint.replace(/^.*\/w\/[^/]+\/(__hooks\/\w+)$/, '$1');

function Delivery({ delivery, open, toggle, again }) {
  return html`<tr><td><button type="button" class="fold" data-row aria-expanded=${open ? 'true' : 'false'} onClick=${toggle}><span class="arrow" aria-hidden="true">${open ? '▾' : '▸'}</span>${clockTime(delivery.attempts.at(-1)?.at) || 'not yet'}</button></td><td class="wrap">${delivery.event}<small class="muted" dir="auto">${brief(delivery.conversation, 60)}</small></td><td class="mono wrap">${brief(short(delivery.endpoint))}</td><td><${State} status=${delivery.status} /></td><td class="right" data-label="Attempts">${delivery.attempts.length}</td><td class="right"><${Button} kind="small" disabled=${delivery.status === 'pending'} title=${delivery.status === 'pending' ? 'It is still under way; advance the clock for its next attempt' : undefined} onPress=${() => again(delivery)}>Send again</${Button}></td></tr>
    ${open && html`<tr class="detail"><td colspan="6"><${Attempts} delivery=${delivery} /></td></tr>`}`;
}

function Emit({ events, accounts, onEmitted }) {
  const [error, setError] = useState(null);
  const [event, setEvent] = useState('conversation.created');
  const emit = async (submitted) => {
    submitted.preventDefault();
    const data = new FormData(submitted.currentTarget);
    const more = data.get('data')?.trim();
    try {
      const body = { event: data.get('event'), business: data.get('business').trim(), conversation: data.get('conversation').trim() || undefined, text: data.get('words')?.trim() || undefined };
      if (more) body.data = JSON.parse(more);
      const { deliveries } = await admin('POST', inWorld('events'), body);
      setError(null);
      notify(deliveries === 0 ? `${body.event} is emitted. Nobody has subscribed to it at ${body.business}.` : `${body.event} is emitted: ${deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`}.`, deliveries ? 'good' : 'info', 'event');
      onEmitted();
    } catch (problem) { setError(problem); }
  };
  const isTalk = /^(conversation|message)\./.test(event);
  return html`<section class="card" aria-labelledby="emit"><h2 id="emit">Emit an event</h2><form aria-label="Emit an event" onSubmit=${emit}>
    <${Field} label="Event"><select name="event" value=${event} onChange=${(changed) => setEvent(changed.currentTarget.value)}>${events.map((name) => html`<option value=${name} selected=${name === event}>${name}</option>`)}</select></${Field}>
    <${Field} label="Business"><input name="business" list="accounts" required autocomplete="off" inputmode="numeric" defaultValue=${accounts[0]?.number ?? ''} /></${Field}><datalist id="accounts">${accounts.map((one) => html`<option value=${one.number}>${brief(one.name, 60)}</option>`)}</datalist>
    <${Field} label="Conversation" hint=${isTalk ? 'An event of a new name opens a conversation.' : 'Only where the event belongs to one.'}><input name="conversation" list="conversations" autocomplete="off" defaultValue=${isTalk ? 'c1' : ''} /></${Field}>
    ${isTalk && html`<${Field} label="Message" hint="Left empty, message.added gets a generated one."><textarea name="words" rows="2"></textarea></${Field}>`}
    ${!isTalk && html`<${Field} label="Data" hint="A JSON object: the payload's data"><textarea name="data" rows="3" class="mono" spellcheck=${false}></textarea></${Field}>`}
    <${Problem} error=${error} /><div class="form-end"><button class="button primary" type="submit">Emit</button></div></form></section>`;
}

function Receivers({ account, events, onSubscribed }) {
  const url = (name) => `${location.origin}/w/${encodeURIComponent(world.value)}/__hooks/${name}`;
  const subscribe = (name) => async () => {
    const { subscriptionId } = await admin('POST', inWorld('subscriptions'), { business: account, endpoint: url(name), events });
    notify(`Subscription ${subscriptionId}: all events of ${account} go to the receiver ${name}.`, 'good', 'subscription');
    onSubscribed();
  };
  return html`<section class="card" aria-labelledby="receivers"><h2 id="receivers">Receivers</h2><p class="muted">Endpoints of this world that answer deliveries, to try webhooks without a receiver of your own.</p>
    <ul class="rows">${RECEIVERS.map(([name, what]) => html`<li><div><code class="wrap">__hooks/${name}</code> <span class="muted">${what}</span></div><div class="row-actions"><${Copy} text=${() => url(name)} label=${`Copy ${name}`} shown="Copy" />${account !== undefined && html`<${Button} kind="small" onPress=${subscribe(name)} aria-label=${`Subscribe ${name}`}>Subscribe</${Button}>`}</div></li>`)}</ul></section>`;
}

function Conversations({ all }) {
  if (all.length === 0) return null;
  return html`<section class="card" aria-labelledby="talks"><h2 id="talks">Conversations</h2><div class="talks">${all.slice(0, 20).map((one) => html`<article key=${`${one.businessId} ${one.id}`}><h3 class="wrap" dir="auto">${brief(one.id, 60)} <${Tag}>${one.status}</${Tag}></h3><p class="muted wrap">${brief(`${one.contact?.firstName ?? ''} ${one.contact?.lastName ?? ''}`, 60)} · ${one.businessId}</p>
    <ol class="messages">${one.messages.slice(-8).map((message) => html`<li key=${message.id} class=${message.direction === 'SEND' ? 'sent' : 'received'}><p dir="auto">${brief(message.text, 300)}</p><small class="muted">${message.direction === 'SEND' ? 'sent' : 'received'} ${clockTime(message.sentAt)}</small></li>`)}</ol></article>`)}</div></section>`;
}

export function Webhooks() {
  const { conversation = '', event = '', status = '' } = route.value.query;
  const [found, error, reload] = useData(async () => {
    const [subscriptions, deliveries, events, conversations, accounts] = await Promise.all([
      list(inWorld('subscriptions')), list(inWorld('deliveries?limit=10000')), admin('GET', inWorld('events')), list(inWorld('conversations?limit=100')), list(inWorld('businesses?limit=1000'))]);
    return { subscriptions, deliveries, events, conversations: conversations.items, accounts: accounts.items.filter((one) => one.type === 'enterprise') };
  }, [world.value]);
  const [open, setOpen] = useState(null);
  const later = useLater(reload, 300);
  useEffect(() => listen((kind) => { if (['delivery', 'conversation', 'reset', 'reload', 'open'].includes(kind)) later(); }), []);
  if (!found) return html`<${Waiting} error=${error} what="The webhooks" />`;
  const { subscriptions, deliveries, events, conversations, accounts } = found;
  const has = (value, wanted) => !wanted || (value ?? '').toLowerCase().includes(wanted.toLowerCase());
  const newest = [...deliveries.items].reverse();
  const shown = newest.filter((one) => has(one.conversation, conversation) && has(one.event, event) && has(one.status, status)).slice(0, 200);
  const again = (one) => attempt(async () => {
    await admin('POST', inWorld(`deliveries/${encodeURIComponent(one.id)}/retry`));
    notify(`The delivery of ${one.event} is sent again.`, 'good', 'delivery');
    await reload();
  });
  return html`<div class="split roomy"><div class="stack">
      <section aria-labelledby="deliveries"><div class="section-head"><h2 id="deliveries">Deliveries</h2><div class="filters" role="search"><${Search} label="Filter by event" value=${event} onChange=${(value) => setQuery({ event: value })} /><${Search} label="Filter by conversation" value=${conversation} onChange=${(value) => setQuery({ conversation: value })} /><${Search} label="Filter by status" value=${status} onChange=${(value) => setQuery({ status: value })} /></div></div>
        ${deliveries.total === 0 ? html`<${Empty} title="No deliveries"><p>Subscribe a receiver, and emit an event.</p></${Empty}>` : shown.length === 0 ? html`<${Empty} title="No delivery matches"><p>The filters hide all ${number(deliveries.total)} deliveries.</p></${Empty}>` : html`
        <${Table} caption="Deliveries, the newest first" kind="deliveries" columns=${[{ label: 'Time', class: 'c-time' }, 'Event', 'Endpoint', { label: 'Status', class: 'c-state' }, { label: 'Attempts', class: 'c-count right' }, { label: 'Action', class: 'c-one right' }]}>
          ${shown.map((one) => html`<${Delivery} key=${one.id} delivery=${one} open=${open === one.id} toggle=${() => setOpen(open === one.id ? null : one.id)} again=${again} />`)}</${Table}>
        <p class="summary below">${number(shown.length)} of ${number(deliveries.total)} deliveries${deliveries.dropped ? `, ${number(deliveries.dropped)} older ones are not kept` : ''}</p>`}</section>
      <section aria-labelledby="subscriptions"><h2 id="subscriptions">Subscriptions</h2>${subscriptions.total === 0 ? html`<${Empty} title="No subscriptions"><p>A client makes one with the operation <code>subscribe</code>, or press Subscribe beside a receiver.</p></${Empty}>` : html`<${Table} caption="Subscriptions" columns=${['Id', 'Business', 'Endpoint', 'Events']}>${subscriptions.items.map((one) => html`<tr key=${one.subscriptionId}><th scope="row">${one.subscriptionId}</th><td data-label="Business">${one.businessId}</td><td class="mono wrap" title=${one.endpoint}>${brief(short(one.endpoint))}</td><td class="wrap">${one.events.join(', ')}</td></tr>`)}</${Table}>`}</section>
      <${Conversations} all=${conversations} />
    </div><div class="stack"><${Emit} events=${events} accounts=${accounts} onEmitted=${reload} /><${Receivers} account=${accounts[0]?.number} events=${events} onSubscribed=${reload} /></div></div>
    <datalist id="conversations">${conversations.map((one) => html`<option value=${one.id}></option>`)}</datalist>`;
}
