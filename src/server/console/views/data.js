// What the world holds: businesses, reviews with their score, questions, contacts and subscriptions.
import { html, useEffect, useRef, useState } from '../lib.js';
import { admin, inWorld, list } from '../api.js';
import { notify, route, setQuery, world } from '../state.js';
import { listen } from '../stream.js';
import { Button, Empty, Field, Problem, Search, Stars, Table, Tag, Waiting, number, brief, useData, useLater } from '../ui.js';

const PARTS = ['reviews', 'questions', 'contacts', 'subscriptions'];
const PAGE = 50;

function Place({ chosen, numberOf, name, extra, choose }) {
  return html`<button type="button" class="place" data-row aria-current=${chosen === String(numberOf) ? 'true' : undefined} onClick=${() => choose(chosen === String(numberOf) ? '' : String(numberOf))}><span class="wrap" dir="auto">${brief(name)}</span> <span class="muted">${numberOf}</span>${extra}</button>`;
}

function Account({ account, all, chosen, choose, depth }) {
  const below = all.filter((one) => one.parent === account.number && one.number !== account.number);
  const [count, setCount] = useState(20);
  return html`<li><${Place} chosen=${chosen} numberOf=${account.number} name=${account.name} choose=${choose} extra=${html` <${Tag}>${account.type}</${Tag}>`} />
    ${account.competitors.length > 0 && html`<p class="rivals muted">competes with ${account.competitors.map((rival) => brief(all.find((one) => one.number === rival)?.name, 60) ?? rival).join(', ')}</p>`}
    ${(below.length > 0 || account.locations.length > 0) && html`<ul>
      ${depth < 6 && below.map((one) => html`<${Account} key=${one.number} account=${one} all=${all} chosen=${chosen} choose=${choose} depth=${depth + 1} />`)}
      ${account.locations.slice(0, count).map((one) => html`<li key=${one.number}><${Place} chosen=${chosen} numberOf=${one.number} name=${one.name} choose=${choose} /></li>`)}
      ${account.locations.length > count && html`<li><button type="button" class="link" onClick=${() => setCount(count + 100)}>${account.locations.length - count} more locations</button></li>`}</ul>`}</li>`;
}

function Tree({ accounts, chosen, choose }) {
  const numbers = new Set(accounts.map((one) => one.number));
  const roots = accounts.filter((one) => one.parent === null || !numbers.has(one.parent));
  return html`<section class="card" aria-labelledby="businesses"><h2 id="businesses">Businesses</h2>${accounts.length === 0 ? html`<p class="muted">The scenario has no business.</p>` : html`<ul class="tree">${roots.slice(0, 100).map((one) => html`<${Account} key=${one.number} account=${one} all=${accounts} chosen=${chosen} choose=${choose} depth=${0} />`)}</ul>`}</section>`;
}

/** The score of each month as a line, on a scale from 0 to 100. */
function Line({ months }) {
  const width = 760;
  const height = 120;
  const known = months.map((month, at) => ({ ...month, at })).filter((month) => month.mentions > 0);
  const x = (at) => 30 + (at * (width - 40)) / Math.max(1, months.length - 1);
  const y = (score) => 10 + ((100 - score) * (height - 30)) / 100;
  const label = known.length ? `Score by month: ${known.map(({ month, score }) => `${month} ${score}`).join(', ')}` : 'No score yet';
  return html`<svg class="line" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
    ${[0, 50, 100].map((score) => html`<line class="grid" x1="30" x2=${width - 10} y1=${y(score)} y2=${y(score)} /><text x="24" y=${y(score) + 4} text-anchor="end">${score}</text>`)}
    <polyline points=${known.map(({ at, score }) => `${x(at)},${y(score)}`).join(' ')} />
    ${known.map(({ at, score, month }) => html`<circle cx=${x(at)} cy=${y(score)} r="3"><title>${month}: ${score}</title></circle>`)}
    ${months.map(({ month }, at) => (at % 3 === 0 || months.length < 7) && html`<text x=${x(at)} y=${height - 4} text-anchor="middle">${month}</text>`)}
  </svg>`;
}

function Bars({ ratings }) {
  const most = Math.max(1, ...ratings);
  const rows = [5, 4, 3, 2, 1, 0].filter((rating) => rating > 0 || ratings[0] > 0);
  return html`<table class="bars"><caption class="sr">Reviews by rating</caption><tbody>${rows.map((rating) => html`<tr><th scope="row">${rating} ★</th><td class="bar-cell">${ratings[rating] > 0 && html`<span class="bar-fill" style=${{ width: `${(ratings[rating] / most) * 100}%` }}></span>`}</td><td class="right">${number(ratings[rating])}</td></tr>`)}</tbody></table>`;
}

function Score({ score }) {
  if (!score) return null;
  return html`<section class="card score" aria-labelledby="score"><h2 id="score">Score</h2><div class="score-row">
    <p class="big"><output aria-label="Score">${score.recent.mentions ? score.recent.score.toFixed(1) : '–'}</output><small class="muted">last 30 days, ${number(score.recent.mentions)} mentions</small><small class="muted">${score.year.mentions ? `${score.year.score.toFixed(1)} in twelve months` : 'none in twelve months'}, ${number(score.reviews)} reviews in all</small></p>
    <${Bars} ratings=${score.ratings} /><${Line} months=${score.months} /></div></section>`;
}

function AddReview({ form, accounts, chosen, onAdded }) {
  const [error, setError] = useState(null);
  const [last, setLast] = useState(null);
  const account = accounts.find((one) => String(one.number) === chosen);
  const locations = (account ? [account] : accounts).flatMap((one) => one.locations);
  const only = accounts.flatMap((one) => one.locations).filter((one) => String(one.number) === chosen);
  const places = only.length ? only : locations;
  const add = async (event) => {
    event.preventDefault();
    const fields = event.currentTarget;
    const data = new FormData(fields);
    const words = data.get('text').trim();
    try {
      const review = await admin('POST', inWorld('reviews'), { businessId: Number(data.get('location')), rating: Number(data.get('rating')), ...(words ? { comments: words } : {}) });
      setError(null);
      setLast(review);
      fields.elements.text.value = '';
      notify(`A review with ${review.rating} stars arrived at ${review.businessName}.`, 'good', 'review');
      onAdded();
    } catch (problem) { setError(problem); }
  };
  return html`<section class="card" aria-labelledby="add-review"><h2 id="add-review">Add a review</h2><form ref=${form} aria-label="Add a review" onSubmit=${add}>
    <div class="field-row"><${Field} label="Rating"><input name="rating" type="number" min="0" max="5" step="1" value="5" required /></${Field}>
    <${Field} label="Location"><select name="location" required>${places.slice(0, 500).map((one) => html`<option value=${one.number}>${brief(one.name, 60)}</option>`)}</select></${Field}>
    <${Field} label="Text" hint="Left empty, words are generated that fit the rating."><textarea name="text" rows="2"></textarea></${Field}></div>
    <${Problem} error=${error} />
    <div class="form-end"><button class="button primary" type="submit">Add</button></div>
    ${last && html`<blockquote class="quote" dir="auto"><${Stars} rating=${last.rating} /> ${last.comments || 'Without words.'}<footer>${[last.reviewer?.firstName, last.reviewer?.lastName].filter(Boolean).join(' ') || 'Anonymous'}, ${last.businessName}</footer></blockquote>`}
  </form></section>`;
}

function Reviews({ items }) {
  return html`<${Table} caption="Reviews, the newest first" kind="records" columns=${[{ label: 'Date', class: 'c-date' }, { label: 'Rating', class: 'c-stars' }, 'Review']}>
    ${items.map((one) => html`<tr key=${`${one.businessId} ${one.reviewId}`}><td>${one.reviewDate}</td><td><${Stars} rating=${one.rating} /></td><td><p class="clamp" dir="auto">${one.comments || html`<span class="muted">Without words</span>`}</p><small class="muted wrap" dir="auto">${brief([one.reviewer?.firstName, one.reviewer?.lastName].filter(Boolean).join(' ') || 'Anonymous', 80)} · ${brief(one.businessName, 80)} · ${one.sourceType} · ${one.reviewId}</small>${one.response && html`<p class="clamp response" dir="auto">${one.response}</p>`}</td></tr>`)}</${Table}>`;
}

function Questions({ items }) {
  return html`<${Table} caption="Questions, the newest first" kind="records" columns=${[{ label: 'Date', class: 'c-date' }, 'Question', { label: 'Location', class: 'c-place' }, { label: 'Answers', class: 'c-source right' }]}>
    ${items.map((one) => html`<tr key=${one.questionId}><td>${one.updatedOn}</td><td><p class="clamp" dir="auto">${one.question}</p><small class="muted wrap" dir="auto">${brief(one.updatedBy, 80)}</small></td><td class="wrap" dir="auto">${brief(one.locationName, 80)}</td><td class="right" data-label="Answers">${one.noOfAnswers}${one.answeredByOwner ? ' · owner' : ''}</td></tr>`)}</${Table}>`;
}

function Contacts({ items }) {
  return html`<${Table} caption="Contacts" kind="records" columns=${[{ label: 'Id', class: 'c-date' }, 'Name', 'Email', { label: 'Phone', class: 'c-place' }, { label: 'Tags', class: 'c-place' }]}>
    ${items.map((one) => html`<tr key=${one.id}><td class="mono">${one.id}</td><td class="wrap" dir="auto">${[one.firstName, one.lastName].filter(Boolean).join(' ')}</td><td class="wrap">${one.email}</td><td>${one.phone}</td><td class="wrap">${brief(one.tags.join(', '))}</td></tr>`)}</${Table}>`;
}

function Subscriptions({ items }) {
  return html`<${Table} caption="Subscriptions" kind="records" columns=${[{ label: 'Id', class: 'c-id' }, { label: 'Business', class: 'c-stars' }, 'Endpoint', 'Events']}>
    ${items.map((one) => html`<tr key=${one.subscriptionId}><td>${one.subscriptionId}</td><td>${one.businessId}</td><td class="mono wrap">${one.endpoint}</td><td class="wrap">${one.events.join(', ')}</td></tr>`)}</${Table}>`;
}

const LISTS = { reviews: Reviews, questions: Questions, contacts: Contacts, subscriptions: Subscriptions };

function Records({ part, business, version }) {
  const { stars, source, status, from, to, words, offset } = route.value.query;
  const start = Number(offset) || 0;
  const own = part === 'reviews' ? { ratings: stars, sources: source, status, from, to, search: words } : {};
  const query = new URLSearchParams(Object.entries({ ...own, ...(part === 'reviews' || part === 'questions' ? { business } : {}), offset: String(start), limit: String(PAGE) }).filter(([, value]) => value));
  const [found, error] = useData(() => list(inWorld(`${part}?${query}`)), [String(query), part, version, world.value]);
  const List = LISTS[part];
  const change = (changes) => setQuery({ ...changes, offset: '' });
  return html`${part === 'reviews' && html`<div class="filters" role="search">
      <${Search} label="Search words" value=${words} onChange=${(value) => change({ words: value })} /><${Search} label="Stars" value=${stars} placeholder="1,2" onChange=${(value) => change({ stars: value })} /><${Search} label="Source" value=${source} placeholder="google" onChange=${(value) => change({ source: value })} /><${Search} label="Status" value=${status} placeholder="parked" onChange=${(value) => change({ status: value })} /><${Search} label="From" value=${from} placeholder="2026-01-31" onChange=${(value) => change({ from: value })} /><${Search} label="To" value=${to} onChange=${(value) => change({ to: value })} /></div>`}
    ${found ? html`${found.items.length === 0 ? html`<${Empty} title=${`No ${part}`}><p>${part === 'subscriptions' ? 'A client makes one with the operation subscribe. The view Webhooks has receivers to try it.' : 'Nothing matches here.'}</p></${Empty}>` : html`<${List} items=${found.items} />`}
      <div class="pager"><p class="summary">${found.total === 0 ? 'None' : `${number(start + 1)} to ${number(start + found.items.length)} of ${number(found.total)}`}</p><div><${Button} kind="small" disabled=${start === 0} onPress=${() => setQuery({ offset: String(Math.max(0, start - PAGE)) })}>Newer</${Button}><${Button} kind="small" disabled=${start + PAGE >= found.total} onPress=${() => setQuery({ offset: String(start + PAGE) })}>Older</${Button}></div></div>` : html`<${Waiting} error=${error} what=${part[0].toUpperCase() + part.slice(1)} />`}`;
}

export function Data() {
  const { business = '', part: asked } = route.value.query;
  const part = PARTS.includes(asked) ? asked : 'reviews';
  const [accounts, error] = useData(() => list(inWorld('businesses?limit=1000')).then((found) => found.items), [world.value]);
  const first = accounts?.find((one) => one.locations.length > 0) ?? accounts?.[0];
  const scored = business || (first ? String(first.number) : '');
  const [score, , readScore] = useData(() => (scored ? admin('GET', inWorld(`scores?business=${scored}`)) : Promise.resolve(null)), [scored, world.value]);
  const [version, setVersion] = useState(0);
  const form = useRef(null);
  const refresh = useLater(() => { readScore(); setVersion((now) => now + 1); }, 200);
  useEffect(() => listen((kind) => { if (['review', 'question', 'reset', 'reload', 'open'].includes(kind)) refresh(); }), []);
  if (!accounts) return html`<${Waiting} error=${error} what="The data" />`;
  const choose = (chosen) => setQuery({ business: chosen, offset: '' });
  const name = accounts.flatMap((one) => [one, ...one.locations]).find((one) => String(one.number) === scored)?.name;
  return html`<div class="bar"><p class="summary wrap">${business ? 'Chosen' : 'Score of'}: <b dir="auto">${brief(name)}</b></p><div class="actions"><${Button} onPress=${() => form.current.querySelector('input').focus()}>Add a review</${Button}></div></div>
    <div class="split left"><div class="stack"><${Tree} accounts=${accounts} chosen=${business} choose=${choose} /></div>
      <div class="stack"><${Score} score=${score} /><${AddReview} form=${form} accounts=${accounts} chosen=${scored} onAdded=${refresh} />
        <section class="card" aria-label="Records"><div class="tabs" role="group" aria-label="Kind of records">${PARTS.map((one) => html`<button type="button" class="tab" aria-pressed=${one === part ? 'true' : 'false'} onClick=${() => setQuery({ part: one === 'reviews' ? '' : one, offset: '' })}>${one[0].toUpperCase() + one.slice(1)}</button>`)}</div>
          <${Records} part=${part} business=${business} version=${version} /></section></div></div>`;
}
