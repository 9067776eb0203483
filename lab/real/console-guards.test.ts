import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { until } from '../../test/support/until.ts';
import { type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { MUCH_HAPPENED, openShop, type ShopConsole } from './support/console/shop.ts';

const CHANGES = /^(release|resolve|park|forget|redrive)\b/i;

describeWith([chromium, componentNamed('dynoxide')], 'a console', () => {
  let browser: BrowserOfTest;
  let services: LocalService[];
  let shop: ShopConsole;
  let page: Page;
  beforeAll(async () => {
    const [database, queues] = await Promise.all([startDynamoDBEmulator('dynoxide'), startSqsEmulator()]);
    services = [database, queues];
    browser = await startBrowser();
    shop = await openShop({ endpoint: database.endpoint, sqsEndpoint: queues.endpoint });
  }, INSTALL_TIMEOUT_MS);
  afterEach(() => browser.closePages());
  afterAll(async () => {
    await shop.stop();
    await browser.stop();
    await Promise.all(services.map((service) => service.stop()));
  });

  it('can be used with the keyboard alone, and the focus is never lost', async () => {
    ({ page } = await browser.newPage());
    await shop.open(page);
    await page.getByRole('heading', { name: /waiting for a person/i }).waitFor();
    await page.keyboard.press('Tab');
    await focusIsOn(/^skip to content/i);
    await page.keyboard.press('/');
    await focusIsOn(/^\s*search/i);
    await page.keyboard.type(MUCH_HAPPENED);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: MUCH_HAPPENED }).waitFor();
    await tabTo(/^release/i);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/reason/i).waitFor();
    await focusIsOn(/reason/i);
    await page.keyboard.press('Escape');
    await focusIsOn(/^release/i);
    await page.keyboard.press('Enter');
    await dialog.getByLabel(/reason/i).waitFor();
    await page.keyboard.type('with no mouse');
    await page.keyboard.press('Enter');
    await page.getByText('1 claim released').waitFor();
    await tabTo(/^redrive its message/i);
    await page.keyboard.press('Enter');
    await page.getByText(/not among the (first )?\d messages of orders-dlq/i).waitFor();
    await focusIsOn(/^redrive its message/i);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('rowheader', { name: MUCH_HAPPENED }).waitFor();
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
    expect(await shop.store.read(MUCH_HAPPENED)).toMatchObject({
      history: [{ operator: 'ann' }, { reason: 'with no mouse' }],
    });
  });

  it('leads from a released claim to its message, and sends that back', async () => {
    ({ page } = await browser.newPage());
    await shop.open(page, `/claim?key=${encodeURIComponent(shop.orders.key('a'))}`);
    await page.getByText(/^Next: Waits for its message/).waitFor();
    await page.getByRole('button', { name: 'Redrive its message…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redrive 1 message' });
    await dialog.getByLabel('Reason').waitFor();
    await page.keyboard.press('Escape');
    const state = page.getByLabel('State', { exact: true });
    await state.getByText(/is in orders-dlq, sent/).waitFor();
    await state.getByRole('link').first().click();
    await page.getByText(/^Only the message/).waitFor();
    const message = page.getByRole('table').getByRole('row').nth(1);
    await message.getByText('Released').waitFor();
    await message.getByRole('link', { name: shop.orders.key('a') }).click();
    await page.getByRole('button', { name: 'Redrive its message…' }).click();
    await dialog.getByLabel('Reason').fill('it was released');
    await dialog.getByRole('button', { name: 'Redrive 1 message' }).click();
    await page.getByText('1 message redriven').waitFor();
  });

  it('that a browser never opened the address of shows nothing, and says what to open', async () => {
    ({ page } = await browser.newPage());
    await page.goto(new URL('/claims', shop.url).href);
    await page.getByText(/open the address/i).waitFor();
    expect(await page.getByText('orders#v1').count()).toBe(0);
    // In the same tab, where the browser does not load the page anew.
    await page.goto(shop.url.replace('/#', '/claims#'));
    await page.getByRole('link', { name: MUCH_HAPPENED }).waitFor();
    expect(page.url()).toBe(new URL('/claims', shop.url).href);
  });

  it('stays open when the page is loaded again, in a new tab, and by a link opened in one', async () => {
    ({ page } = await browser.newPage());
    await shop.open(page, '/claims');
    const claim = page.getByRole('link', { name: MUCH_HAPPENED });
    await claim.waitFor();
    await page.reload();
    await claim.waitFor();
    const [byLink] = await Promise.all([
      page.context().waitForEvent('page'),
      claim.click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await byLink.getByText('the bank is back').waitFor();
    const typed = await page.context().newPage();
    await typed.goto(new URL('/dead-letters?queue=orders-dlq', shop.url).href);
    await typed.getByText('orders#v1:b').first().waitFor();
  });

  it('is kept by open tabs alone: when all are closed, the browser has nothing', async () => {
    ({ page } = await browser.newPage());
    await shop.open(page, '/claims');
    await page.getByRole('link', { name: MUCH_HAPPENED }).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}');
    const context = page.context();
    await page.close();
    page = await context.newPage();
    await page.goto(new URL('/claims', shop.url).href);
    await page.getByText(/open the address/i).waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  });

  it('is opened by the new address where it was started again, in every tab', async () => {
    ({ page } = await browser.newPage());
    await shop.open(page);
    const other = await page.context().newPage();
    await other.goto(new URL('/claims', shop.url).href);
    await other.getByRole('link', { name: MUCH_HAPPENED }).waitFor();
    await shop.restart();
    await page.getByText(/open the address/i).waitFor();
    await page.goto(shop.url);
    await page.getByRole('heading', { name: /waiting for a person/i }).waitFor();
    // It asks again by itself.
    await other.getByRole('link', { name: MUCH_HAPPENED }).waitFor();
  });

  it('is open by a forwarded port of another number', async () => {
    const forward = createServer((client) => {
      const console = connect(Number(new URL(shop.url).port), '127.0.0.1');
      for (const socket of [client, console]) socket.on('error', () => undefined);
      client.pipe(console).pipe(client);
    });
    const port = await listenLocally(forward);
    ({ page } = await browser.newPage());
    await page.goto(shop.url.replace(/:\d+/, `:${port}`));
    await page.getByRole('heading', { name: /waiting for a person/i }).waitFor();
    await page.goto(`http://localhost:${port}/claims?state=overdue`);
    await page.getByText(/open the address/i).waitFor();
    await page.goto(shop.url.replace(/\/\/.*\/#/, `//localhost:${port}/claims?state=overdue#`));
    await page.getByRole('button', { name: /^resolve.* orders#v1:hangs-0$/i }).click();
    await page.getByLabel('Reason').fill('through a forwarded port');
    await page.getByRole('button', { name: 'Resolve 1 claim' }).click();
    await page.getByText('1 claim resolved').waitFor();
    await browser.closePages();
    forward.close();
  });

  it('gives other servers of this machine nothing that they could use', async () => {
    const received: string[] = [];
    const other = createHttpServer((request, response) => {
      received.push(JSON.stringify(request.rawHeaders));
      response.setHeader('content-type', 'text/html').end('<title>Other</title>');
    });
    const port = await listenLocally(other);
    ({ page } = await browser.newPage());
    await shop.open(page);
    await page.getByRole('heading', { name: /waiting for a person/i }).waitFor();
    await page.goto(`http://127.0.0.1:${port}/`);
    expect(received[0]).not.toMatch(/cookie|batchlatch/i);
    const found = await page.evaluate(
      'document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    );
    expect(found).toBe('[{},{}]');
    // Nor can its page ask.
    const asked = `fetch('${new URL('/api/session', shop.url).href}').then(({ status }) => status, () => 'refused')`;
    expect(await page.evaluate(asked)).toBe('refused');
    const opaque = `fetch('${new URL('/api/session', shop.url).href}', { mode: 'no-cors' }).then(({ type }) => type, () => 'refused')`;
    expect(['opaque', 'refused']).toContain(await page.evaluate(opaque));
    other.closeAllConnections();
    other.close();
  });

  it.each(['csv', 'json'])('downloads what matches as %s', async (format) => {
    ({ page } = await browser.newPage());
    await shop.open(page, '/claims');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: format.toUpperCase(), exact: true }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(MUCH_HAPPENED);
  });

  it('that only reads offers no change, and refuses one', async () => {
    await shop.restart({ allowChanges: false });
    ({ page } = await browser.newPage());
    await shop.open(page);
    await page.getByText('Read-only').waitFor();
    const pages = {
      '/': /waiting for a person/i,
      '/claims?state=parked': 'orders#v1:b',
      [`/claim?key=${encodeURIComponent(MUCH_HAPPENED)}`]: 'the bank is back',
      '/dead-letters?queue=orders-dlq': 'orders#v1:b',
    };
    for (const [path, shown] of Object.entries(pages)) {
      await page.goto(new URL(path, shop.url).href);
      await page.getByRole('main').getByText(shown).first().waitFor();
      expect(await page.getByRole('button', { name: CHANGES }).count()).toBe(0);
    }
    expect(await page.getByRole('checkbox').count()).toBe(0);
    for (const call of ['changes', 'dead-letters/redrive']) {
      expect(await post(`/api/${call}`)).toEqual({ status: 403, code: 'read-only' });
    }
  });

  /** As a script of the page itself could. */
  function post(path: string): Promise<unknown> {
    return page.evaluate(`(async () => {
      const session = { 'x-batchlatch-session': sessionStorage.getItem('batchlatch-session') };
      const headers = { 'content-type': 'application/json', ...session };
      const response = await fetch('${path}', { method: 'POST', headers, body: '{}' });
      return { status: response.status, code: (await response.json()).error.code };
    })()`);
  }

  /** What the focus is on, as it is called. */
  function focused(): Promise<string> {
    return page.evaluate(`(() => {
      const { activeElement: on } = document;
      return on.getAttribute('aria-label') ?? on.labels?.[0]?.textContent ?? on.textContent;
    })()`);
  }

  async function focusIsOn(name: RegExp): Promise<void> {
    await until(`the focus is on ${String(name)}`, async () => name.test(await focused()));
  }

  async function tabTo(name: RegExp): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      if (name.test(await focused())) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`60 presses of Tab do not lead to ${String(name)}, but to ${await focused()}`);
  }
});
