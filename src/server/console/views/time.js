// The clock of the world: what it shows, what falls due, and how full the windows of rate limits are.
import { html, useEffect, useState } from '../lib.js';
import { admin, inWorld, list } from '../api.js';
import { notify, world } from '../state.js';
import { listen } from '../stream.js';
import { Button, Empty, Field, Problem, Table, Waiting, clockTime, day, moment, span, useData, useLater } from '../ui.js';

const STEPS = [['+1 s', '1s'], ['+1 min', '1m'], ['+1 h', '1h'], ['+1 d', '24h']];
const SHOWN = 50;

export function Time() {
  const [found, error, reload] = useData(async () => {
    const [clock, due, limits] = await Promise.all([admin('GET', inWorld('clock')), list(inWorld(`clock/due?limit=${SHOWN}`)), admin('GET', inWorld('rate-limits'))]);
    return { clock, due, limits, read: Date.now() };
  }, [world.value]);
  const [, tick] = useState(0);
  const later = useLater(reload, 400);
  useEffect(() => {
    const timer = setInterval(() => tick((now) => now + 1), 500);
    const poll = setInterval(() => { if (!document.hidden) reload(); }, 5000);
    const stop = listen((kind) => { if (['delivery', 'review', 'question', 'reset', 'reload', 'request', 'open'].includes(kind)) later(); });
    return () => { clearInterval(timer); clearInterval(poll); stop(); };
  }, [world.value]);
  const [failed, setFailed] = useState(null);
  if (!found) return html`<${Waiting} error=${error} what="The clock" />`;
  const { clock, due, limits, read } = found;
  const isFrozen = clock.mode === 'frozen';
  const now = Date.parse(clock.now) + (isFrozen ? 0 : Date.now() - read);
  const shown = new Date(now).toISOString();
  const move = (body, text) => async () => {
    const moved = await admin('POST', inWorld('clock'), body);
    notify(moved.pending ? `${text} ${moved.pending} deliveries and events are not finished yet.` : text, 'info', 'clock');
    await reload();
  };
  const next = due.items[0];
  const set = async (event) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('instant').trim();
    try {
      await admin('POST', inWorld('clock'), { set: text });
      setFailed(null);
      await reload();
    } catch (problem) { setFailed(problem); }
  };
  return html`<section class="card clock" aria-labelledby="clock"><h2 id="clock">World time</h2>
      <p class="clock-face"><time datetime=${shown}><span class="clock-day">${day(shown)}</span> <span class="clock-time">${clockTime(shown)}</span></time><span class=${`tag ${isFrozen ? 'changed' : ''}`}>${isFrozen ? 'frozen' : 'running'}</span></p>
      <p class="muted">Began ${moment(clock.start)}, ${span(now - Date.parse(clock.start))} ago.</p>
      <div class="actions start" role="group" aria-label="Move the clock">
        ${isFrozen ? html`<${Button} kind="primary" onPress=${move({ mode: 'running' }, 'The clock runs.')}>Run</${Button}>` : html`<${Button} kind="primary" onPress=${move({ mode: 'frozen' }, 'The clock is frozen.')}>Freeze</${Button}>`}
        ${STEPS.map(([label, advance]) => html`<${Button} onPress=${move({ advance }, `The clock went ${label}.`)}>${label}</${Button}>`)}
        <${Button} disabled=${!next} onPress=${() => move({ set: next.at }, 'The clock went to what was due next.')()}>Next due</${Button}></div>
      <form class="inline" aria-label="Set the clock" onSubmit=${set}><${Field} label="Set it to"><input name="instant" placeholder=${shown.slice(0, 19) + 'Z'} required autocomplete="off" /></${Field}><button class="button" type="submit">Set</button></form><${Problem} error=${failed} /></section>
    <div class="columns">
      <section aria-labelledby="due"><h2 id="due">What falls due next</h2>${due.items.length === 0 ? html`<${Empty} title="Nothing is due"><p>The timeline has nothing more, and no delivery waits.</p></${Empty}>` : html`<${Table} caption="What falls due next" kind="compact" columns=${['Time', 'In', 'What']}>${due.items.map((one, at) => html`<tr key=${at}><td class="nowrap">${day(one.at) === day(shown) ? clockTime(one.at) : moment(one.at)}</td><td class="nowrap">${span(Math.max(0, Date.parse(one.at) - now))}</td><td class="wrap">${one.what}</td></tr>`)}</${Table}>`}</section>
      <section aria-labelledby="limits"><h2 id="limits">Rate limits</h2>${limits.length === 0 ? html`<${Empty} title="No key has a rate limit"></${Empty}>` : html`<${Table} caption="Rate limits of keys" kind="compact" columns=${['Key', 'Used', 'Window ends']}>${limits.map((one) => {
        const ended = one.endsAt === null || Date.parse(one.endsAt) <= now;
        const used = ended ? 0 : one.used;
        return html`<tr key=${one.key}><th scope="row">${one.key}</th><td><meter class="fill" min="0" max=${one.requests} value=${used} aria-label=${`Used of ${one.key}`}></meter> ${used} of ${one.requests} in ${span(one.windowMs)}</td><td>${ended ? html`<span class="muted">not begun</span>` : `in ${span(Date.parse(one.endsAt) - now)}`}</td></tr>`;
      })}</${Table}>`}</section></div>`;
}
