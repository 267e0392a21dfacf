// The scorecard of the world: how its clients behaved.
import { html, useEffect } from '../lib.js';
import { admin, download, inWorld } from '../api.js';
import { address, route, setQuery, world } from '../state.js';
import { listen } from '../stream.js';
import { Button, Empty, Search, Table, Waiting, number, useData, useLater } from '../ui.js';

const MARKS = { pass: ['✓', 'ok'], warn: ['!', 'warn'], fail: ['✕', 'bad'], 'not exercised': ['–', 'none'] };

function Verdict({ verdict }) {
  const [mark, kind] = MARKS[verdict] || MARKS['not exercised'];
  return html`<span class=${`status ${kind}`}><span class="mark" aria-hidden="true">${mark}</span>${verdict}</span>`;
}

const calls = (seqs) => html`${seqs.slice(0, 8).map((seq, at) => html`${at > 0 ? ', ' : ''}<a href=${address('Live', seq)}>${seq}</a>`)}${seqs.length > 8 ? ` and ${seqs.length - 8} more` : ''}`;

function Finding({ finding }) {
  return html`<li class="wrap">${finding.message}${finding.calls.length > 0 && html` <span class="muted">→ ${finding.calls.length > 1 ? 'calls' : 'call'} ${calls(finding.calls)}</span>`}</li>`;
}

export function Report() {
  const { text = '' } = route.value.query;
  const [report, error, reload] = useData(() => admin('GET', inWorld('report')), [world.value]);
  const later = useLater(reload, 1000);
  useEffect(() => listen((kind) => { if (['request', 'delivery', 'reset', 'reload', 'open'].includes(kind)) later(); }), []);
  if (!report) return html`<${Waiting} error=${error} what="The report" />`;
  const { rules } = report;
  const shown = rules.filter((rule) => `${rule.id} ${rule.title} ${rule.verdict}`.toLowerCase().includes(text.toLowerCase()));
  const rank = { fail: 0, warn: 1, pass: 2, 'not exercised': 3 };
  shown.sort((left, right) => rank[left.verdict] - rank[right.verdict]);
  const count = (verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  const name = report.world;
  const save = (path, file) => () => download(inWorld(path), file);
  return html`<div class="bar"><div class="filters" role="search"><${Search} label="Filter" value=${text} placeholder="rule or verdict" onChange=${(value) => setQuery({ text: value })} /></div>
      <div class="actions"><${Button} onPress=${save('requests.har', `${name}.har`)}>Download HAR</${Button}><${Button} onPress=${save('report?format=junit', `${name}.xml`)}>Download JUnit</${Button}><${Button} onPress=${save('report?format=html', `${name}.html`)}>Download HTML</${Button}><${Button} onPress=${save('bundle', `${name}.standin`)}>Download bundle</${Button}></div></div>
    <section class="card verdict" aria-labelledby="verdict"><h2 id="verdict">Verdict</h2><p class="big"><${Verdict} verdict=${report.verdict} /></p><p class="muted">World ${name} · ${number(report.calls)} calls · ${count('fail')} failed, ${count('warn')} warned, ${count('pass')} passed, ${count('not exercised')} not exercised</p></section>
    ${report.expectations.length > 0 && html`<section aria-labelledby="expectations"><h2 id="expectations">Expectations</h2><${Table} caption="Expectations of the scenario" columns=${['Expectation', 'Result', 'Message']}>${report.expectations.map((one) => html`<tr><th scope="row" class="wrap">${one.name}</th><td><${Verdict} verdict=${one.passed ? 'pass' : 'fail'} /></td><td class="wrap">${one.message}</td></tr>`)}</${Table}></section>`}
    ${report.faults.length > 0 && html`<section aria-labelledby="after"><h2 id="after">After each fault</h2><${Table} caption="What the client did after each fault" columns=${['Fault', { label: 'Struck', class: 'right' }, 'Then']}>${report.faults.map((one) => html`<tr><th scope="row" class="wrap">${one.name}</th><td class="right" data-label="Struck">${number(one.struck)}</td><td class="wrap">${Object.entries(Object.groupBy(one.then, (then) => then.did)).map(([did, all]) => `${all.length} ${did}`).join(', ') || html`<span class="muted">nothing to do: the answer was whole</span>`}</td></tr>`)}</${Table}></section>`}
    <section aria-labelledby="rules"><h2 id="rules">Scorecard</h2>${shown.length === 0 ? html`<${Empty} title="No rule matches"></${Empty}>` : html`<${Table} caption="Rules of the scorecard" columns=${['Rule', 'Result', 'Findings']}>${shown.map((rule) => [rule, rule.findings.filter((finding) => finding.calls.length > 0 || finding.message !== rule.message)]).map(([rule, findings]) => html`<tr key=${rule.id} class=${rule.verdict === 'not exercised' ? 'faint' : ''}><th scope="row"><span class="wrap">${rule.title}</span><small class="muted">${rule.id}</small></th><td><${Verdict} verdict=${rule.verdict} /></td><td><p class="wrap">${rule.message}</p>${findings.length > 0 && html`<ul class="plain-list">${findings.slice(0, 10).map((finding) => html`<${Finding} finding=${finding} />`)}</ul>`}${['fail', 'warn'].includes(rule.verdict) && html`<p class="muted wrap">${rule.mend}</p>`}</td></tr>`)}</${Table}>`}</section>`;
}
