// For a demonstration: large, and nothing technical.
import { html, useEffect, useState } from '../lib.js';
import { admin, attempt, inWorld, list } from '../api.js';
import { address, go, say, world } from '../state.js';
import { listen } from '../stream.js';
import { Empty, Stars, Waiting, brief, useData, useLater } from '../ui.js';

const who = (reviewer) => [reviewer?.firstName, reviewer?.lastName].filter(Boolean).join(' ') || 'Anonymous';

export function Present() {
  const [found, error, reload] = useData(async () => {
    const [accounts, buttons] = await Promise.all([list(inWorld('businesses?limit=1000')), admin('GET', inWorld('demo'))]);
    const account = accounts.items.find((one) => one.type === 'enterprise' && one.locations.length > 0) ?? accounts.items[0];
    if (!account) return { buttons, score: null, reviews: [], conversations: [] };
    const [score, reviews, conversations] = await Promise.all([admin('GET', inWorld(`scores?business=${account.number}`)), list(inWorld(`reviews?business=${account.number}&limit=3`)), list(inWorld('conversations?limit=3'))]);
    return { account, buttons, score, reviews: reviews.items, conversations: conversations.items };
  }, [world.value]);
  const [moved, setMoved] = useState(null);
  const later = useLater(reload, 150);
  useEffect(() => listen((kind) => { if (['review', 'question', 'delivery', 'conversation', 'reset', 'reload', 'open'].includes(kind)) later(); }), []);
  const press = (button) => attempt(async () => {
    const before = found?.score?.recent.score;
    await admin('POST', inWorld(`demo/${button.place}`));
    await reload();
    say(`${button.label}.`);
    setMoved(before ?? null);
  });
  useEffect(() => {
    const key = (event) => {
      if (event.target.matches?.('input, textarea, select') || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      if (event.key === 'Escape') go(address('Live'));
      const button = /^[1-9]$/.test(event.key) && found?.buttons[Number(event.key) - 1];
      if (button) press(button);
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  });
  if (!found) return html`<${Waiting} error=${error} what="The demonstration" />`;
  const { account, buttons, score, reviews, conversations } = found;
  const change = moved !== null && score ? score.recent.score - moved : 0;
  return html`<div class="stage-top"><p class="stage-name" dir="auto">${brief(account?.name, 80) ?? 'No business'}</p><p class="stage-end"><a href=${address('Live')}>Leave</a> <kbd>Esc</kbd></p></div>
    <div class="stage"><section class="stage-score" aria-labelledby="p-score"><h2 id="p-score">Score</h2><p class="stage-number"><output aria-label="Score">${score?.recent.mentions ? score.recent.score.toFixed(1) : '–'}</output>${Math.abs(change) >= 0.05 && html`<span class=${`stage-change ${change > 0 ? 'up' : 'down'}`}>${change > 0 ? '▲' : '▼'} ${Math.abs(change).toFixed(1)}</span>`}</p></section>
      <section class="stage-reviews" aria-labelledby="p-reviews"><h2 id="p-reviews">Newest reviews</h2>${reviews.length === 0 ? html`<p class="muted">None yet.</p>` : html`<ul>${reviews.map((one) => html`<li key=${`${one.businessId} ${one.reviewId}`}><p class="stage-who"><${Stars} rating=${one.rating} /> <b dir="auto">${brief(who(one.reviewer), 60)}</b> <span class="muted wrap" dir="auto">${brief(one.businessName, 60)}</span></p><p class="clamp" dir="auto">${one.comments}</p>${one.response && html`<p class="clamp response" dir="auto">${one.response}</p>`}</li>`)}</ul>`}</section>
      ${conversations.length > 0 && html`<section class="stage-talks" aria-labelledby="p-talks"><h2 id="p-talks">Conversations</h2>${conversations.map((one) => html`<article key=${`${one.businessId} ${one.id}`}><h3 class="wrap">${brief(`${one.contact?.firstName ?? ''} ${one.contact?.lastName ?? ''}`, 60)}</h3><ol class="messages">${one.messages.slice(-4).map((message) => html`<li key=${message.id} class=${message.direction === 'SEND' ? 'sent' : 'received'}><p dir="auto">${brief(message.text, 300)}</p></li>`)}</ol></article>`)}</section>`}</div>
    <div class="stage-buttons" role="group" aria-label="Buttons of the demonstration">${buttons.length === 0 ? html`<${Empty} title="No buttons"><p>A scenario defines them under <code>demo</code>.</p></${Empty}>` : buttons.map((button, at) => html`<button type="button" class="stage-button" key=${button.place} onClick=${() => press(button)}>${at < 9 && html`<kbd aria-hidden="true">${at + 1}</kbd>`}<span class="wrap" dir="auto">${brief(button.label, 80)}</span></button>`)}</div>`;
}
