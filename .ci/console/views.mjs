// Each view: opened, used by keyboard alone, and the effect seen in the answers of the API.
import assert from 'node:assert/strict';
import { admin, call, test, until } from './harness.mjs';

const VIEWS = ['Live', 'Faults', 'Data', 'Webhooks', 'Time', 'Worlds', 'Scenario', 'Report', 'Present'];

/** Moves the focus by Tab until it is at what the locator names. */
async function tabTo(page, locator) {
  await locator.first().waitFor();
  for (let step = 0; step < 250; step += 1) {
    if (await locator.first().evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${locator}`);
}

async function press(page, locator) {
  await tabTo(page, locator);
  await page.keyboard.press('Enter');
}

/** Types into a field that Tab reaches, in place of what is in it. */
async function type(page, locator, text) {
  await tabTo(page, locator);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

test('each view has a link, a heading of its name and a URL, and links keep the world', async ({ page, open, world }) => {
  await open('live');
  for (const view of VIEWS) {
    const link = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view, exact: true });
    await press(page, link);
    await page.getByRole('heading', { level: 1, name: view, exact: true }).waitFor();
    assert.equal(await link.getAttribute('aria-current'), 'page');
    assert.equal(await page.locator('nav [aria-current=page]').count(), 1);
    const url = new URL(page.url());
    assert.equal(url.pathname, `/console/${view.toLowerCase()}`);
    assert.equal(url.searchParams.get('world'), world);
    await page.getByRole('navigation', { name: 'Views' }).evaluate((nav) => nav.querySelector('a').focus());
  }
});

test('Live shows calls as they come, filters them, pauses, and opens one', async ({ page, open, url, world, key }) => {
  await open('live');
  await page.getByText('No calls yet').waitFor();
  await call(url, { world, key });
  await call(url, { world, key: 'wrong' });
  const rows = page.locator('table tbody tr');
  await rows.nth(1).waitFor();
  assert.match(await rows.nth(0).innerText(), /reviews[\s\S]*401[\s\S]*1161/);
  await page.getByText(/\d ms/).nth(1).waitFor();
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
  await type(page, page.getByRole('searchbox', { name: 'Status' }), '200');
  await until('one row', async () => (await rows.count()) === 1);
  assert.match(page.url(), /status=200/);
  await page.reload();
  await until('one row after a reload', async () => (await rows.count()) === 1);
  await page.getByRole('searchbox', { name: 'Status' }).fill('');
  await until('both rows', async () => (await rows.count()) === 2);
  await press(page, page.getByRole('button', { name: 'Pause' }));
  await call(url, { world, key });
  await page.getByText('1 wait').waitFor();
  assert.equal(await rows.count(), 2);
  await press(page, page.getByRole('button', { name: 'Resume' }));
  await until('the call that waited', async () => (await rows.count()) === 3);
  await page.locator('h1').evaluate((heading) => heading.focus());
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Call 2' }).waitFor();
  assert.match(new URL(page.url()).pathname, /live\/2$/);
  await page.getByText('The check API key failed').waitFor();
  await page.getByRole('row', { name: /API key.*failed/ }).waitFor();
  assert.equal(await page.getByRole('row', { name: /Rate limit.*skipped/ }).count(), 1);
});

test('a call is made to fail by a dialog, sent again, copied, and its chain shown', async ({ page, open, url, world, key, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await call(url, { world, key });
  await open('live/1');
  await press(page, page.getByRole('button', { name: 'Make this fail' }));
  const dialog = page.getByRole('dialog', { name: 'Make this fail' });
  assert.equal(await dialog.getByRole('radio').count(), 10);
  assert.equal(await dialog.getByRole('radio', { name: /503/ }).count(), 1);
  await tabTo(page, dialog.getByRole('radio', { name: /503/ }));
  await page.keyboard.press('ArrowDown');
  assert.ok(await dialog.getByRole('radio', { name: /89/ }).isChecked());
  assert.match(await dialog.locator('pre').innerText(), /error: 89/);
  await press(page, dialog.getByRole('button', { name: 'Add fault' }));
  await page.getByText(/The fault call-1-89 is on/).first().waitFor();
  assert.equal((await call(url, { world, key })).status, 429);
  assert.equal((await call(url, { world, key })).status, 200);
  await press(page, page.getByRole('button', { name: 'Send again' }));
  await page.getByRole('heading', { level: 1, name: 'Call 4' }).waitFor();
  const { json } = await admin(url, 'GET', `worlds/${world}/requests/4`);
  assert.deepEqual([json.status, json.attempt, json.chain.map((one) => one.status)], [200, 4, [200, 429, 200, 200]]);
  const tries = page.getByRole('table', { name: 'The tries of this request' }).locator('tbody tr');
  await until('all tries', async () => (await tries.count()) === 4);
  await press(page, page.getByRole('button', { name: 'Copy as curl' }));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.startsWith('curl -i -X POST') && copied.includes(`/w/${world}/v1/review/businessId/100?count=2`) && copied.includes(key), copied);
  await page.goto(`${url}/console/live/2?world=${world}`);
  await page.getByText('answered in place of the API').waitFor();
  assert.ok(await page.getByRole('row', { name: /Faults.*replaced.*call-1-89/ }).isVisible());
});

test('a fault for any call of an operation strikes one that asks for something else, and a call shows its later tries', async ({ page, open, url, world, key }) => {
  await call(url, { world, key });
  await open('live/1');
  await page.getByText('sent this request once so far').waitFor();
  await press(page, page.getByRole('button', { name: 'Make this fail' }));
  const dialog = page.getByRole('dialog', { name: 'Make this fail' });
  await tabTo(page, dialog.getByLabel('Which calls'));
  await page.keyboard.press('ArrowDown');
  assert.ok(!(await dialog.locator('pre').innerText()).includes('fingerprint'));
  await type(page, dialog.getByLabel('Hits'), '2');
  await press(page, dialog.getByRole('button', { name: 'Add fault' }));
  await page.getByText('strikes the next 2 times that a call of reviews comes').first().waitFor();
  assert.equal((await call(url, { world, key, path: '/v1/review/businessId/100?count=1' })).status, 503);
  assert.equal((await call(url, { world, key })).status, 503);
  assert.equal((await call(url, { world, key })).status, 200);
  const tries = page.getByRole('table', { name: 'The tries of this request' }).locator('tbody tr');
  await until('the later tries', async () => (await tries.count()) === 3);
  await open('faults');
  await page.getByRole('row', { name: /call-1-503.*used up.*2 of 2/ }).waitFor();
});

test('a fault is written, switched and removed, with the diagnostics of the loader', async ({ page, open, url, world, key }) => {
  await open('faults');
  await press(page, page.getByRole('button', { name: 'Add a fault' }));
  const form = page.getByRole('form', { name: 'Add a fault' });
  await page.keyboard.type('down');
  await type(page, form.getByLabel('YAML'), 'operation: reviewz\nthen: {status: 503}');
  await press(page, form.getByRole('button', { name: 'Save' }));
  await page.getByText('did you mean `reviews`?').waitFor();
  await type(page, form.getByLabel('YAML'), 'operation: reviews\nenabled: false\nthen: {status: 503}');
  await press(page, form.getByRole('button', { name: 'Save' }));
  const toggle = page.getByRole('switch', { name: 'down' });
  await toggle.waitFor();
  assert.equal((await call(url, { world, key })).status, 200);
  await tabTo(page, toggle);
  await page.keyboard.press('Space');
  await until('the switch is on', async () => (await toggle.getAttribute('aria-checked')) === 'true');
  assert.equal((await call(url, { world, key })).status, 503);
  await page.getByText('changed here').waitFor();
  await press(page, page.getByRole('button', { name: 'Remove down' }));
  await page.getByText('No faults').waitFor();
  assert.equal((await call(url, { world, key })).status, 200);
});

test('a review that is added moves the score that the API gives, written or generated', async ({ page, open, url, world, key }) => {
  const score = async () => {
    const body = { businessNumbers: [1006], startDate: '06/01/2026', endDate: '06/30/2026', userEmail: 'owner@brightdental.test' };
    return (await call(url, { world, key, path: '/v1/insight/sentiment/locationInfo', headers: { 'x-business-number': '100' }, body })).json.dataPoints[0].score;
  };
  await open('data', '&business=1006');
  const shown = page.getByLabel('Score', { exact: true }).and(page.locator('output'));
  const [before, shownBefore] = [await score(), await shown.innerText()];
  await press(page, page.getByRole('button', { name: 'Add a review' }));
  const form = page.getByRole('form', { name: 'Add a review' });
  await type(page, form.getByLabel('Rating'), '1');
  await type(page, form.getByLabel('Text'), 'The crown came loose <script>alert(1)</script>');
  await press(page, form.getByRole('button', { name: 'Add', exact: true }));
  await page.getByRole('table', { name: 'Reviews' }).getByText('The crown came loose <script>').waitFor();
  const after = await score();
  assert.ok(after < before, `${before} ${after}`);
  await until('the score of the page', async () => (await shown.innerText()) !== shownBefore);
  await type(page, form.getByLabel('Rating'), '5');
  await press(page, form.getByRole('button', { name: 'Add', exact: true }));
  await page.getByText('A review with 5 stars arrived').first().waitFor();
  assert.ok((await score()) > after);
  const { json } = await admin(url, 'GET', `worlds/${world}/reviews?business=1006&limit=1`);
  assert.ok(json[0].rating === 5 && json[0].comments.length > 5, 'words are generated');
  await type(page, page.getByRole('searchbox', { name: 'Stars' }), '2');
  await until('reviews with two stars', async () => (await page.locator('.records .stars').allInnerTexts()).every((text) => text.startsWith('★★☆')));
  await press(page, page.getByRole('button', { name: 'Contacts', exact: true }));
  await page.getByText('tomasz.wieczorek@mail.test').waitFor();
});

test('a business is chosen in the tree, and the score is that of the API', async ({ page, open, url, world }) => {
  await open('data');
  await press(page, page.getByRole('button', { name: /^Bright Dental Beaverton/ }));
  await page.waitForURL(/business=1006/);
  const { json } = await admin(url, 'GET', `worlds/${world}/scores?business=1006`);
  const shown = page.getByLabel('Score', { exact: true }).and(page.locator('output'));
  await until('its score', async () => (await shown.innerText()) === json.recent.score.toFixed(1));
  await until('its reviews alone', async () => (await page.getByRole('table', { name: 'Reviews' }).locator('td small').allInnerTexts()).every((text) => text.includes('Bright Dental Beaverton')));
});

test('an event is emitted to the receivers, and a delivery sent again', async ({ page, open, url, world }) => {
  await open('webhooks');
  await press(page, page.getByRole('button', { name: 'Subscribe ok' }));
  await page.getByText(/Subscription 1/).first().waitFor();
  await press(page, page.getByRole('button', { name: 'Subscribe error' }));
  await page.getByText(/Subscription 2/).first().waitFor();
  const form = page.getByRole('form', { name: 'Emit an event' });
  await type(page, form.getByLabel('Event'), 'message');
  await type(page, form.getByLabel('Business'), '100');
  await type(page, form.getByLabel('Conversation'), 'hello');
  await press(page, form.getByRole('button', { name: 'Emit' }));
  const table = page.getByRole('table', { name: 'Deliveries' });
  await table.getByRole('row', { name: /hello.*__hooks\/ok.*delivered/ }).waitFor();
  await until('a first failure', async () => (await admin(url, 'GET', `worlds/${world}/deliveries`)).json.some((one) => one.attempts[0]?.response?.status === 500));
  await press(page, table.getByRole('row', { name: /__hooks\/ok/ }).getByRole('button', { name: 'Send again' }));
  await until('a second attempt', async () => (await admin(url, 'GET', `worlds/${world}/deliveries?subscription=1`)).json[0].attempts.length === 2);
  await until('it is shown', async () => /\b2\b/.test(await table.getByRole('row', { name: /__hooks\/ok/ }).locator('td').nth(4).innerText()));
  await press(page, table.getByRole('row', { name: /__hooks\/ok/ }).locator('.fold'));
  await page.getByRole('heading', { name: /Attempt 2/ }).waitFor();
  await page.getByRole('heading', { name: /hello/, level: 3 }).waitFor();
});

test('the clock is frozen, moved and run', async ({ page, open, url, world }) => {
  await admin(url, 'PUT', `worlds/${world}`, { clock: { start: '2026-06-30T00:00:00Z', mode: 'frozen' } });
  const now = async () => (await admin(url, 'GET', `worlds/${world}/clock`)).json;
  await open('time');
  for (const [name, day, then] of [['+1 s', '2026-06-30', '00:00:01'], ['+1 min', '2026-06-30', '00:01:01'], ['+1 h', '2026-06-30', '01:01:01'], ['+1 d', '2026-07-01', '01:01:01']]) {
    await press(page, page.getByRole('button', { name, exact: true }));
    await until(name, async () => (await page.locator('time').innerText()) === `${day} ${then}` && (await now()).now === `${day}T${then}Z`);
  }
  assert.equal((await now()).now, '2026-07-01T01:01:01Z');
  await press(page, page.getByRole('button', { name: 'Run', exact: true }));
  await until('it runs', async () => (await now()).mode === 'running');
  await press(page, page.getByRole('button', { name: 'Freeze', exact: true }));
  await until('it is frozen', async () => (await now()).mode === 'frozen');
  await admin(url, 'POST', `worlds/${world}/subscriptions`, { business: 100, endpoint: `${url}/w/${world}/__hooks/error` });
  await admin(url, 'POST', `worlds/${world}/events`, { event: 'message.added', business: 100, conversation: 'c' });
  await page.getByText(/attempt 2 to deliver message.added/).waitFor();
  const before = (await now()).now;
  await press(page, page.getByRole('button', { name: 'Next due', exact: true }));
  await until('the clock is there', async () => (await now()).now > before);
  await until('a second attempt', async () => (await admin(url, 'GET', `worlds/${world}/deliveries`)).json[0].attempts.length === 2);
  await page.getByText(/key:demo/).waitFor();
});

test('a world is made, chosen, reset, reseeded and removed', async ({ page, open, url }) => {
  await open('worlds');
  await press(page, page.getByRole('button', { name: 'Make a world' }));
  await page.keyboard.type('made-here');
  await press(page, page.getByRole('form', { name: 'Make a world' }).getByRole('button', { name: 'Make', exact: true }));
  const row = page.getByRole('row', { name: /made-here/ });
  await row.waitFor();
  assert.equal((await admin(url, 'GET', 'worlds/made-here')).json.standing, false);
  await press(page, row.getByRole('button', { name: 'Choose' }));
  await page.waitForURL(/world=made-here/);
  await page.getByText(`${url}/w/made-here`, { exact: true }).waitFor();
  const { key } = (await admin(url, 'GET', 'worlds/made-here/example')).json;
  await page.getByText(key, { exact: true }).waitFor();
  for (const name of ['curl', 'JavaScript', 'Python']) await page.getByRole('button', { name: `Copy ${name}` }).waitFor();
  await call(url, { world: 'made-here', key });
  await press(page, row.getByRole('button', { name: 'Reset' }));
  await until('the journal is empty', async () => (await admin(url, 'GET', 'worlds/made-here/requests')).json.length === 0);
  const seed = (await admin(url, 'GET', 'worlds/made-here')).json.seed;
  await press(page, row.getByRole('button', { name: 'Reseed' }));
  await until('another seed', async () => (await admin(url, 'GET', 'worlds/made-here')).json.seed !== seed);
  await press(page, row.getByRole('button', { name: 'Remove' }));
  await until('it is gone', async () => (await admin(url, 'GET', 'worlds/made-here')).status === 404);
  await until('its row is gone', async () => (await row.count()) === 0);
});

test('the file of the scenario is searched and copied', async ({ page, open, url, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('scenario');
  await type(page, page.getByRole('searchbox', { name: 'Search the file' }), 'partner-key');
  await page.locator('.source mark').first().waitFor();
  assert.equal(await page.locator('.source mark').first().innerText(), 'partner-key');
  assert.match(page.url(), /text=partner-key/);
  await press(page, page.getByRole('button', { name: 'Copy the file' }));
  const { json } = await admin(url, 'GET', 'scenarios/demo');
  await until('it is copied', async () => (await page.evaluate(() => navigator.clipboard.readText())) === json.text);
});

test('the report follows the calls and is downloaded', async ({ page, open, url, world, key }) => {
  await open('report');
  await page.getByText('0 calls').waitFor();
  for (let at = 0; at < 3; at += 1) await call(url, { world, key: 'wrong' });
  await page.getByText('3 calls ·').waitFor();
  await page.getByRole('row', { name: /no-retry-on-refusal/ }).getByText('fail').waitFor();
  for (const [name, file] of [['HAR', '.har'], ['JUnit', '.xml'], ['HTML', '.html']]) {
    const download = page.waitForEvent('download');
    await press(page, page.getByRole('button', { name: `Download ${name}` }));
    assert.equal((await download).suggestedFilename(), world + file);
  }
  await press(page, page.getByRole('button', { name: 'Download bundle' }));
  await page.getByText(/--bundle FILE/).first().waitFor();
});

test('Present shows the score and the newest reviews, and its keys press the buttons', async ({ page, open, url, world }) => {
  await open('present');
  const score = page.getByLabel('Score', { exact: true }).and(page.locator('output'));
  const before = await score.innerText();
  await page.getByRole('button', { name: 'A bad review arrives' }).waitFor();
  const count = async () => Number((await fetch(`${url}/__admin/worlds/${world}/reviews?business=1001&limit=1`)).headers.get('x-total-count'));
  const reviews = await count();
  await page.keyboard.press('1');
  await until('the review', async () => (await count()) === reviews + 1);
  await until('another score', async () => (await score.innerText()) !== before);
  await page.getByLabel('1 of 5 stars').first().waitFor();
  await press(page, page.getByRole('button', { name: 'A patient writes' }));
  await page.getByText('Hi! Can I still come in today?').waitFor();
  const clock = (await admin(url, 'GET', `worlds/${world}/clock`)).json.now;
  await page.keyboard.press('7');
  await until('an hour passes', async () => Date.parse((await admin(url, 'GET', `worlds/${world}/clock`)).json.now) - Date.parse(clock) >= 3_600_000);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
});

test('? opens the keys and Escape closes them; the theme is chosen and kept', async ({ page, open }) => {
  await open('faults');
  await page.locator('h1').evaluate((heading) => heading.focus());
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keys' });
  await dialog.getByText('Next row').waitFor();
  await page.keyboard.press('Escape');
  await until('it is closed', async () => (await dialog.count()) === 0);
  await page.getByLabel('Theme').selectOption('dark');
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.equal(await page.getByLabel('Theme').inputValue(), 'dark');
});
