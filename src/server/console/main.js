// The shell: navigation, world, theme, token, keys and notices. The view stands in the middle.
import { html, render, signal, useEffect, useErrorBoundary } from './lib.js';
import { VIEWS, address, dismiss, follow as followAddress, go, notices, route, said, setTheme, theme, world } from './state.js';
import { admin, giveToken, inWorld, list, locked } from './api.js';
import { connection, listen, reconnect, start } from './stream.js';
import { follow as followCalls } from './calls.js';
import { Dialog, Field, brief } from './ui.js';
import { Live } from './views/live.js';
import { Call } from './views/call.js';
import { Faults } from './views/faults.js';
import { Data } from './views/data.js';
import { Webhooks } from './views/webhooks.js';
import { Time } from './views/time.js';
import { Worlds } from './views/worlds.js';
import { Scenario } from './views/scenario.js';
import { Report } from './views/report.js';
import { Present } from './views/present.js';

const PAGES = { Live, Faults, Data, Webhooks, Time, Worlds, Scenario, Report, Present };

const help = signal(false);
const health = signal(null);
const worlds = signal([]);

async function readHealth() {
  if (locked.value || document.hidden) return;
  try {
    health.value = await admin('GET', 'health');
    worlds.value = (await list('worlds?limit=200')).items;
    if (connection.value === 'open') await admin('GET', inWorld('').slice(0, -1)).catch((error) => { if (error.status === 404) reconnect(); });
  } catch { /* the stream says that the server is away */ }
}

function Nav() {
  const { view } = route.value;
  return html`<nav aria-label="Views"><ul>${VIEWS.map((name) => html`<li><a href=${address(name)} aria-current=${name === view ? 'page' : undefined}>${name}</a></li>`)}</ul></nav>`;
}

const CONNECTION = { connecting: 'Connecting', open: 'Connected', lost: 'No connection', gone: 'No such world' };

function WorldPicker() {
  const names = worlds.value.map((one) => one.name);
  const shown = world.value;
  const options = ['default', ...names.filter((name) => name !== 'default')];
  if (!options.includes(shown)) options.push(shown);
  const choose = (event) => {
    const name = event.currentTarget.value;
    const search = new URLSearchParams(name === 'default' ? {} : { world: name });
    go(`/console/${(route.value.view || 'Live').toLowerCase()}${search.size ? `?${search}` : ''}`);
  };
  return html`<${Field} kind="picker" label="World"><select value=${shown} onChange=${choose}>${options.map((name) => html`<option value=${name} selected=${name === shown}>${name}</option>`)}</select></${Field}>`;
}

function Side() {
  return html`<aside class="side" aria-label="Console">
    <a class="brand" href=${address('Live')}><img src="/console/icon.svg" alt="" width="26" height="26" /><span>Standin</span></a>
    ${!locked.value && html`<${WorldPicker} />`}
    <${Nav} />
    <div class="side-foot">
      <p class=${`connection ${connection.value}`}><span class="dot" aria-hidden="true"></span>${locked.value ? 'Locked' : CONNECTION[connection.value]}</p>
      <${Field} kind="picker" label="Theme"><select value=${theme.value} onChange=${(event) => setTheme(event.currentTarget.value)}>${['system', 'light', 'dark'].map((name) => html`<option value=${name} selected=${name === theme.value}>${name}</option>`)}</select></${Field}>
      <button type="button" class="button small quiet" onClick=${() => { help.value = true; }}>Keys <kbd>?</kbd></button>
    </div>
  </aside>`;
}

const KEYS = [
  ['/', 'Go to the first search box of the view'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['p', 'Pause and resume the list of calls'],
  ['1 – 9', 'Press a button of Present'],
  ['Esc', 'Close a dialog, leave a search box or Present'],
  ['?', 'Show this list'],
];

function Help() {
  return html`<${Dialog} title="Keys" onClose=${() => { help.value = false; }}><dl class="keys">${KEYS.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl></${Dialog}>`;
}

function Notice({ id, kind, text }) {
  return html`<p class=${`notice ${kind}`}><span>${text}</span><button type="button" class="button small quiet" aria-label="Close notice" onClick=${() => dismiss(id)}>✕</button></p>`;
}

function Notices() {
  const broken = (health.value?.scenarios || []).filter((scenario) => scenario.diagnostics.some((found) => found.severity === 'error'));
  return html`<div class="notices">
    ${connection.value === 'lost' && !locked.value && html`<p class="notice bad"><span><b>No connection.</b> The server is away. The page connects by itself as soon as it can.</span></p>`}
    ${connection.value === 'gone' && !locked.value && html`<p class="notice bad"><span><b>There is no world ${brief(world.value, 80)}.</b> It was removed, or the server was started anew. <a href="/console/worlds">Choose a world</a></span></p>`}
    ${broken.map((scenario) => html`<p class="notice bad" key=${scenario.name}><span><b>The last reload of ${scenario.name} failed.</b> ${scenario.generation > 0 ? 'Its last good version is served.' : 'Nothing of it is served.'} <a href=${address('Scenario', undefined, { name: scenario.name })}>See the problems</a></span></p>`)}
    ${notices.value.filter((one) => one.stays).map((one) => html`<${Notice} key=${one.id} ...${one} />`)}
  </div>`;
}

function Gate() {
  const enter = (event) => {
    event.preventDefault();
    giveToken(new FormData(event.currentTarget).get('token'));
    readHealth();
  };
  return html`<form class="card gate" onSubmit=${enter}><p>This server asks for its admin token. It is kept until the tab is closed.</p>
    <${Field} label="Token"><input name="token" type="password" autocomplete="off" required /></${Field}>
    <button class="button primary" type="submit">Open the console</button></form>`;
}

function View() {
  const { view, id } = route.value;
  const [error, again] = useErrorBoundary();
  useEffect(() => { if (error) again(); }, [view, id, world.value]);
  const title = view === 'Live' && id ? `Call ${id}` : view || 'Nothing is here';
  useEffect(() => { document.title = `${title} · ${world.value} · Standin`; });
  const Page = view && (view === 'Live' && id ? Call : PAGES[view]);
  const content = () => {
    if (locked.value) return html`<${Gate} />`;
    if (error) return html`<div class="problem" role="alert"><p>This view could not be drawn: ${String(error.message || error)}</p></div>`;
    if (!Page) return html`<p>The console has no such page. <a href=${address('Live')}>Go to Live</a></p>`;
    return html`<${Page} key=${`${view} ${world.value} ${view === 'Live' ? id : ''}`} id=${id} worlds=${worlds} health=${health} refresh=${readHealth} />`;
  };
  return html`<h1 tabindex="-1">${title}</h1>${content()}`;
}

function App() {
  const isPresent = route.value.view === 'Present' && !locked.value;
  return html`<div class=${isPresent ? 'app present' : 'app'}>
    <a class="skip" href="#main">Skip to the view</a>
    <${Side} />
    <main id="main"><${Notices} /><${View} />
      <div class="toasts">${notices.value.filter((one) => !one.stays).map((one) => html`<${Notice} key=${one.id} ...${one} />`)}</div></main>
    <p class="sr" role="status" aria-live="polite">${said.value}</p>
    ${help.value && html`<${Help} />`}
  </div>`;
}

/** Links within the console change the page without loading it. */
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.hasAttribute('download')) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || !/^\/console(\/|$)/.test(url.pathname) || url.hash) return;
  event.preventDefault();
  go(url.pathname + url.search);
  scrollTo(0, 0);
  requestAnimationFrame(() => document.querySelector('h1')?.focus({ preventScroll: true }));
});
addEventListener('popstate', followAddress);

/** Moves the focus to another row of the list that is shown. */
function step(by) {
  const rows = [...document.querySelectorAll('main [data-row]')];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement?.closest('[data-row]') ?? document.activeElement);
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches?.('input, textarea, select');
  if (event.key === 'Escape' && typing && event.target.type === 'search') event.target.blur();
  if (typing || document.querySelector('dialog[open]')) return;
  if (event.key === '?') help.value = true;
  else if (event.key === '/') document.querySelector('main input[type=search]')?.focus();
  else if (event.key === 'j') step(1);
  else if (event.key === 'k') step(-1);
  else return;
  event.preventDefault();
});

listen((kind, data) => {
  if (kind === 'reload' || kind === 'open') readHealth();
});
setInterval(readHealth, 5000);
followCalls();
start();
readHealth();
const root = document.getElementById('app');
root.replaceChildren();
render(html`<${App} />`, root);
