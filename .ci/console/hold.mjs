// What holds of the whole page: accessibility, load, restarts, hostile texts, where requests go, tokens, sizes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { admin, axe, call, serve, test, until, work } from './harness.mjs';

const VIEWS = ['live', 'live/1', 'faults', 'data', 'webhooks', 'time', 'worlds', 'scenario', 'report', 'present'];

async function fill({ url, world, key }) {
  await call(url, { world, key });
  await admin(url, 'PUT', `worlds/${world}/faults/slow`, { chance: '50%', then: { delay: '10ms' } });
  await call(url, { world, key: 'wrong' });
  await admin(url, 'POST', `worlds/${world}/subscriptions`, { business: 100, endpoint: `${url}/w/${world}/__hooks/error` });
  await admin(url, 'POST', `worlds/${world}/events`, { event: 'conversation.created', business: 100, conversation: 'c1', text: 'Hi!' });
}

/** Fails where axe finds something serious or critical. */
async function isAccessible(page, what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(grave.map(({ id, nodes }) => `${what} ${id}: ${nodes.map((node) => node.html).join(' | ').slice(0, 600)}`), []);
}

for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['light', 360]]) {
  test(`axe finds nothing serious in any view, ${colorScheme}, ${width} px`, async (given) => {
    const { page, open } = given;
    await fill(given);
    for (const view of VIEWS) {
      await open(view);
      await until('the view is drawn', async () => (await page.locator('main [aria-busy=true]').count()) === 0 && (await page.locator('main').innerText()).length > 40);
      if (view === 'live/1') await page.getByRole('button', { name: 'Make this fail' }).click();
      await isAccessible(page, view);
    }
  }, { context: { colorScheme, viewport: { width, height: 900 } } });
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe finds nothing serious in empty views, problems, notices and the dialog of keys, ${colorScheme}`, async ({ page, open, url, world }) => {
    for (const view of ['live', 'faults', 'webhooks', 'time', 'report', 'live/7']) {
      await open(view);
      await until('the view is drawn', async () => (await page.locator('main [aria-busy=true]').count()) === 0 && (await page.locator('main').innerText()).length > 30);
      if (view === 'time') {
        await page.getByRole('button', { name: '+1 s', exact: true }).click();
        await page.getByRole('button', { name: 'Close notice' }).waitFor();
      }
      if (view === 'faults') {
        await page.getByLabel('Name').fill('wrong');
        await page.getByLabel('YAML').fill('operation: reviewz');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('.diagnostic').first().waitFor();
      }
      await isAccessible(page, view);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await isAccessible(page, 'keys');
    await page.keyboard.press('Escape');
    await admin(url, 'DELETE', `worlds/${world}`);
    await page.getByText(`There is no world ${world}.`).waitFor();
    await isAccessible(page, 'a world that is gone');
    await page.getByRole('link', { name: 'Choose a world' }).click();
    await page.getByRole('heading', { level: 1, name: 'Worlds' }).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
  }, { context: { colorScheme } });
}

test('what is said to a screen reader changes at most every five seconds', async ({ page, open, url, world, key }) => {
  await open('live');
  await page.evaluate(() => {
    globalThis.said = [];
    new MutationObserver(() => globalThis.said.push(performance.now())).observe(document.querySelector('[aria-live]'), { childList: true, characterData: true, subtree: true });
  });
  assert.equal(await page.locator('[aria-live]').count(), 1);
  await until('two messages', async () => {
    await call(url, { world, key });
    return page.evaluate(() => globalThis.said.length > 1);
  }, 20_000);
  const [first, second] = await page.evaluate(() => globalThis.said);
  assert.ok(second - first > 4900, `${second - first} ms`);
});

test('a printed report is dark on white, and has nothing to press', async (given) => {
  const { page, open } = given;
  await fill(given);
  await open('report');
  await page.getByText('2 calls ·').waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const [paper, ink] = await page.locator('.card.verdict').evaluate((card) => [getComputedStyle(card).backgroundColor, getComputedStyle(card.querySelector('h2')).color]);
  assert.deepEqual([paper, ink], ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  for (const role of ['button', 'searchbox', 'navigation']) assert.equal(await page.locator(`role=${role}`).count(), 0, role);
  assert.ok((await page.pdf({ format: 'A4' })).length > 10_000);
}, { context: { colorScheme: 'dark' } });

/** Sends calls at a rate, each on one of some connections, for a time. Returns how many were answered a second. */
async function load({ port, world, key, rate, seconds }) {
  const request = `POST /w/${world}/v1/review/businessId/100?count=0 HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
  const began = performance.now();
  let [sent, answered, isOver] = [0, 0, false];
  const free = [];
  const sockets = Array.from({ length: 24 }, () => {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.on('data', (data) => {
      if (!data.includes('\r\n\r\n')) return;
      answered += 1;
      free.push(socket);
    });
    socket.on('error', () => {});
    free.push(socket);
    return socket;
  });
  await new Promise((resolve) => {
    const tick = () => {
      const passed = (performance.now() - began) / 1000;
      if (passed >= seconds || isOver) return resolve();
      while (sent < passed * rate && free.length > 0) {
        free.pop().write(request);
        sent += 1;
      }
      setTimeout(tick, 2);
    };
    tick();
  });
  const took = (performance.now() - began) / 1000;
  sockets.forEach((socket) => socket.destroy());
  return answered / took;
}

// The times are looked at with MEASURE=1 alone, which wants a release build on a quiet machine.
const measured = process.env.MEASURE === '1';
test('2,000 calls a second leave the list bounded, typing quick, the heap stable and the server fast', async ({ page, open, url, world, key }) => {
  const port = Number(new URL(url).port);
  const alone = await load({ port, world, key, rate: 2000, seconds: measured ? 6 : 2 });
  // A debug build on a busy machine may not come so far.
  const rate = measured ? 2000 : Math.round(alone / 2);
  await admin(url, 'DELETE', `worlds/${world}/requests`);
  await open('live');
  const seconds = measured ? 30 : 12;
  const loading = load({ port, world, key, rate, seconds });
  const [rows, echoes, heaps] = [[], [], []];
  const box = page.getByRole('searchbox', { name: 'Text' });
  const end = Date.now() + (seconds - 3) * 1000;
  while (Date.now() < end) {
    await page.waitForTimeout(700);
    await box.focus();
    await page.evaluate(() => {
      const field = document.activeElement;
      globalThis.echo = new Promise((resolve) => field.addEventListener('input', (event) => {
        const typed = event.timeStamp;
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - typed)));
      }, { once: true }));
    });
    await page.keyboard.press('r');
    echoes.push(await page.evaluate(() => globalThis.echo));
    await page.keyboard.press('Backspace');
    rows.push(await page.locator('table.calls tbody tr').count());
    if (heaps.length === 0 ? Date.now() > end - (seconds - 10) * 1000 : true) heaps.push(await page.evaluate(() => { globalThis.gc?.(); return performance.memory.usedJSHeapSize; }));
  }
  const watched = await loading;
  // Other work on the machine may have come meanwhile: the same once more without the page.
  await page.goto('about:blank');
  const unwatched = await load({ port, world, key, rate, seconds: 6 });
  echoes.sort((left, right) => left - right);
  const slow = echoes[Math.floor(echoes.length * 0.95)];
  const mib = (bytes) => (bytes / (1 << 20)).toFixed(1);
  console.log(`      ${Math.round(alone)} calls a second alone, ${Math.round(watched)} of ${rate} watched, ${Math.round(unwatched)} after that; at most ${Math.max(...rows)} rows; echo after ${Math.round(echoes[echoes.length >> 1])} ms, 95% within ${Math.round(slow)} ms; heap ${mib(heaps[0])} to ${mib(heaps.at(-1))} MiB`);
  assert.ok(Math.max(...rows) <= 500, 'the list is bounded');
  assert.ok(heaps.at(-1) < heaps[0] * 1.5 + (8 << 20), 'the heap is stable');
  if (measured) {
    assert.ok(slow < 200, `typing is echoed after ${slow} ms`);
    assert.ok(watched > unwatched * 0.9, `${watched} calls a second watched, ${unwatched} unwatched`);
  }
});

test('when the server is started anew, the page connects by itself and says what it missed', async ({ page }) => {
  const first = await serve();
  await page.goto(`${first.url}/console/live`);
  await page.getByText('Connected', { exact: true }).waitFor();
  await call(first.url, {});
  await page.locator('table.calls tbody tr').first().waitFor();
  await first.stop();
  await page.getByText('No connection.').waitFor();
  const second = await serve(undefined, first.port);
  await call(second.url, {});
  await call(second.url, {});
  await page.getByText(/Connected again after \d+ s\. The server was started anew/).first().waitFor();
  await until('its calls', async () => (await page.locator('table.calls tbody tr').count()) === 2);
  await call(second.url, {});
  await until('the next call', async () => (await page.locator('table.calls tbody tr').count()) === 3);
  await second.stop();
});

test('names and texts of script tags, quotes, right-to-left and 20,000 letters neither run nor break the layout', async ({ page }) => {
  const hostile = `<script>globalThis.pwned=1</script><img src=x onerror=globalThis.pwned=2>"'&amp;\u202e\u05d0\u05d1\u05d2 \u0645\u0631\u062d\u0628\u0627`;
  const long = 'W'.repeat(20_000);
  const scenario = { standin: 1, name: 'hostile', summary: hostile + long, keys: [{ key: 'k' }], businesses: [{ number: 100, name: hostile, competitors: [200], locations: [{ number: 1001, name: long, reviews: [{ id: '1', rating: 1, date: '2026-06-29', comments: hostile, firstName: hostile }, { id: '2', rating: 5, date: '2026-06-30', comments: long, firstName: long, response: hostile }], questions: [{ id: 1, question: hostile, by: long, date: '2026-06-29' }] }], contacts: [{ id: 1, firstName: hostile, email: 'a@b.test', tags: [long] }] }, { number: 200, name: long }], faults: [{ name: `${hostile}`, operation: 'qna', then: { status: 503, text: long } }], demo: [{ label: hostile, do: [{ advance: '1s' }] }, { label: long, do: [{ advance: '1s' }] }] };
  const file = join(work, 'hostile.yaml');
  writeFileSync(file, JSON.stringify(scenario));
  const server = await serve([file, '--now', '2026-06-30T17:00:00Z']);
  await call(server.url, { key: hostile.slice(0, 20).replace(/[^ -~]/g, ''), path: `/v1/review/businessId/100?${encodeURIComponent(hostile)}=${long.slice(0, 4000)}`, body: { [hostile]: long, statuses: [hostile] } });
  await call(server.url, { key: 'k', body: { searchStr: long } });
  await admin(server.url, 'POST', 'worlds/default/subscriptions', { business: 100, endpoint: `${server.url}/w/default/__hooks/ok` });
  await admin(server.url, 'POST', 'worlds/default/events', { event: 'message.added', business: 100, conversation: hostile, text: hostile + long });
  for (const width of [360, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    for (const view of [...VIEWS, 'live/2']) {
      await page.goto(`${server.url}/console/${view}`);
      await until('the view is drawn', async () => (await page.locator('main [aria-busy=true]').count()) === 0 && (await page.locator('main').innerText()).length > 30);
      const [wide, pwned] = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, globalThis.pwned]);
      assert.equal(pwned, undefined);
      assert.ok(wide <= 0, `${view} at ${width} px is wider than the window by ${wide} px`);
      if (view === 'live/1') assert.ok(!(await page.locator('.notes').innerText()).includes('\u202e'), 'a mark of direction turns the words around it');
      if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `hostile-${view.replace('/', '-')}-${width}.png`) });
    }
  }
  await server.stop();
});

test('a link from elsewhere opens the console; a foreign page reads nothing', async ({ page, url }) => {
  // The fetch of node sets these headers itself.
  const head = (path, sent) => new Promise((resolve, reject) => {
    const request = http.get(url + path, { headers: sent }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, headers: new Map(Object.entries(answer.headers)) });
    });
    request.on('error', reject);
  });
  const opened = await head('/console/live', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' });
  assert.equal(opened.status, 200);
  assert.equal(opened.headers.get('content-security-policy'), "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
  assert.equal((await head('/console/main.js', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status, 403);
  assert.equal((await head('/console/main.js', { origin: 'http://evil.test' })).status, 403);
  assert.equal((await head('/__admin/worlds', { origin: 'http://evil.test' })).status, 403);
  const home = await head('/', { accept: 'text/html' });
  assert.equal(home.status, 302);
  assert.equal(home.headers.get('location'), '/console');
  const tag = opened.headers.get('etag');
  assert.equal((await head('/console', { 'if-none-match': tag })).status, 304);
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
});

test('with a token nothing is shown before it is given, and it is gone with the tab', async ({ page, context }) => {
  const server = await serve(['scenarios/demo.yaml', '--admin-token', 'let me in']);
  await page.goto(`${server.url}/console/data`);
  const field = page.getByLabel('Token', { exact: true });
  await field.waitFor();
  assert.ok(!(await page.content()).includes('Bright Dental'));
  assert.equal(await page.getByRole('table').count(), 0);
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await field.waitFor();
  await field.fill('let me in');
  await page.keyboard.press('Enter');
  await page.getByText('Bright Dental Group').first().waitFor();
  await page.getByText('Connected', { exact: true }).waitFor();
  assert.ok(!page.url().includes('let'));
  await page.reload();
  await page.getByText('Bright Dental Group').first().waitFor();
  const other = await context.newPage();
  await other.goto(`${server.url}/console/data`);
  await other.getByLabel('Token', { exact: true }).waitFor();
  await server.stop();
});

test('a failed reload is told until it is mended', async ({ page }) => {
  const file = join(work, 'mended.yaml');
  writeFileSync(file, 'standin: 1\nname: mended\nsummary: Good.\n');
  const server = await serve([file]);
  await page.goto(`${server.url}/console/scenario`);
  await page.getByText('None: the scenario is served as its file is.').waitFor();
  writeFileSync(file, 'standin: 1\nname: mended\nsumary: Bad.\n');
  await page.getByRole('alert').getByText(/The last reload failed/).waitFor({ timeout: 15_000 });
  await page.locator('.source .line.error').getByText('sumary').waitFor();
  writeFileSync(file, 'standin: 1\nname: mended\nsummary: Mended.\n');
  await page.getByText('Mended.').first().waitFor({ timeout: 15_000 });
  await until('the notice is gone', async () => (await page.getByText(/last reload/).count()) === 0, 15_000);
  await server.stop();
});

test('the whole page is under 150 KB on the wire and painted within 300 ms', async ({ page, url, browser }) => {
  const paints = [];
  let bytes = 0;
  for (let at = 0; at < 5; at += 1) {
    const context = await browser.newContext();
    const fresh = await context.newPage();
    const session = await context.newCDPSession(fresh);
    await session.send('Network.enable');
    bytes = 0;
    const files = new Map();
    session.on('Network.responseReceived', ({ requestId, response }) => files.set(requestId, response.url));
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => { if (files.get(requestId)?.includes('/console')) bytes += encodedDataLength; });
    await fresh.goto(`${url}/console`);
    await fresh.getByText('Connected', { exact: true }).waitFor();
    paints.push(await fresh.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
    await context.close();
  }
  paints.sort((left, right) => left - right);
  console.log(`      ${(bytes / 1000).toFixed(1)} KB on the wire, first paint after ${paints.map(Math.round).join(', ')} ms`);
  assert.ok(bytes > 20_000 && bytes < 150_000);
  // The program has the files as they are, so it grows by about as much.
  await page.goto(`${url}/console`);
  await page.getByText('Connected', { exact: true }).waitFor();
  const whole = await page.evaluate(() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].filter(({ name }) => name.includes('/console')).reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0));
  console.log(`      ${(whole / 1000).toFixed(1)} KB in the program`);
  assert.ok(whole > bytes && whole < 300_000);
  // Other work on the machine makes the others longer.
  assert.ok(paints[0] < 300);
});

test('at 400% zoom and on a phone the page is as wide as the window', async (given) => {
  const { page, open } = given;
  await fill(given);
  await page.setViewportSize({ width: 320, height: 256 });
  for (const view of VIEWS) {
    await open(view);
    await until('the view is drawn', async () => (await page.locator('main [aria-busy=true]').count()) === 0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${view} is wider by ${wide} px`);
  }
});
