import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { releaseClaim } from 'batchlatch/operations';
import type { Page } from 'playwright-core';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import type { Proxy } from '../../test/support/components/toxiproxy-client.ts';
import { startToxiproxy, toxiproxy, type Toxiproxy } from '../../test/support/components/toxiproxy.ts';
import { until } from '../../test/support/until.ts';
import { type BrowserOfTest, rowButton, startBrowser } from './support/console/browser.ts';
import { aClaim, put } from './support/console/claims.ts';
import { type ConsoleOfTest, openConsole } from './support/console/open-console.ts';

const KEY = 'orders#v1:1';

describeWith([chromium, toxiproxy, componentNamed('dynoxide')], 'a console that somebody leaves open', () => {
  let browser: BrowserOfTest;
  let database: LocalService;
  let faults: Toxiproxy;
  let way: Proxy;
  let console: ConsoleOfTest;
  let page: Page;
  beforeAll(async () => {
    [browser, database, faults] = await Promise.all([
      startBrowser(),
      startDynamoDBEmulator('dynoxide'),
      startToxiproxy(),
    ]);
    way = await faults.createProxy({ upstream: database.endpoint });
  }, INSTALL_TIMEOUT_MS);
  beforeEach(async () => {
    console = await openConsole({ endpoint: way.endpoint, claims: [aClaim(KEY, 'parked')] });
    ({ page } = await browser.newPage());
  });
  afterEach(async () => {
    await browser.closePages();
    await way.reset();
    await console.stop();
  });
  afterAll(async () => {
    await Promise.all([browser.stop(), faults.stop()]);
    await database.stop();
  });

  const counter = (name: RegExp) =>
    page.getByRole('region', { name: 'Claims by state' }).getByRole('link', { name }).waitFor();
  const live = (shown: Page = page) => shown.getByRole('status').getByText('Live', { exact: true }).waitFor();

  it('shows what changes without a reload: on the overview', async () => {
    await console.open(page);
    await counter(/^Parked 1\b/);
    await counter(/^Overdue 0\b/);
    await put(console.store, [aClaim('orders#v1:2', 'overdue'), aClaim('orders#v1:3', 'parked')]);
    await counter(/^Parked 2\b/);
    await counter(/^Overdue 1\b/);
    await page.getByRole('link', { name: 'orders#v1:2' }).waitFor();
    expect(await page.title()).toMatch(/^\(3\)/);
  });

  it('and in a list, which stays as it is while something is selected', async () => {
    await console.open(page, '/claims?state=parked');
    await page.getByRole('link', { name: KEY }).waitFor();
    await put(console.store, [aClaim('orders#v1:2', 'parked')]);
    await page.getByRole('link', { name: 'orders#v1:2' }).waitFor();
    await page.getByRole('checkbox', { name: `Select ${KEY}` }).check();
    await put(console.store, [aClaim('orders#v1:3', 'parked')]);
    await page.waitForTimeout(6_000);
    expect(await page.getByRole('link', { name: 'orders#v1:3' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: `Select ${KEY}` }).uncheck();
    await page.getByRole('link', { name: 'orders#v1:3' }).waitFor();
  });

  it("and on a claim's own page", async () => {
    await console.open(page, `/claim?key=${encodeURIComponent(KEY)}`);
    await page.getByRole('main').getByText('Parked', { exact: true }).first().waitFor();
    await releaseByAnother();
    await page.getByText('by somebody else').waitFor();
  });

  it('closes its stream of events while its tab is hidden, and reads anew when it is shown', async () => {
    const streams = { opened: 0, open: 0 };
    const isStream = (request: { url(): string }): boolean => request.url().endsWith('/api/events');
    page.on('request', (request) => {
      if (!isStream(request)) return;
      streams.opened += 1;
      streams.open += 1;
    });
    for (const ended of ['requestfinished', 'requestfailed'] as const) {
      page.on(ended as 'requestfailed', (request) => {
        if (isStream(request)) streams.open -= 1;
      });
    }
    await console.open(page);
    await counter(/^Parked 1\b/);
    await setHidden(true);
    await until('the stream is closed', () => streams.open === 0);
    await put(console.store, [aClaim('orders#v1:2', 'parked')]);
    const { opened } = streams;
    await setHidden(false);
    await counter(/^Parked 2\b/);
    expect(streams).toEqual({ opened: opened + 1, open: 1 });
  });

  it('stands still while a person pauses it', async () => {
    await console.open(page);
    await counter(/^Parked 1\b/);
    await page.getByRole('button', { name: 'Pause' }).click();
    await put(console.store, [aClaim('orders#v1:2', 'parked')]);
    await page.getByText(/this is how it was at/i).waitFor();
    await counter(/^Parked 1\b/);
    await page.getByRole('button', { name: 'Go on' }).click();
    await counter(/^Parked 2\b/);
  });

  it('says that the server is away, and goes on by itself when it is back', async () => {
    // As behind a forwarded port: the way to the server breaks, and not the server.
    await console.restart({ host: '127.0.0.2' });
    const { host: upstream, port } = new URL(console.url);
    const toServer = await faults.createProxy({ upstream: `http://${upstream}`, port: Number(port) });
    await page.goto(console.url.replace('127.0.0.2', '127.0.0.1'));
    await live();
    await toServer.disable();
    await page.getByText('Connecting again').waitFor();
    await page.getByText(/this is how it was at/i).waitFor();
    await put(console.store, [aClaim('orders#v1:2', 'parked')]);
    await toServer.enable();
    await live();
    await counter(/^Parked 2\b/);
  });

  it('connects again where the server has fallen silent, as a stopped process does', async () => {
    await page.clock.install();
    await console.open(page);
    await live();
    const again = page.waitForRequest((request) => request.url().endsWith('/api/events'));
    await page.clock.fastForward(46_000);
    await again;
    await live();
  });

  it('waits for a store that takes longer to answer than a page takes until it reads again', async () => {
    await console.open(page);
    await counter(/^Parked 1\b/);
    await way.addToxic({ type: 'latency', attributes: { latency: 4_000 } });
    const list = await page.context().newPage();
    let [asked, mostAsked] = [0, 0];
    const isOfList = (request: { url(): string }): boolean => request.url().includes('/api/claims');
    list.on('request', (request) => {
      if (isOfList(request)) mostAsked = Math.max(mostAsked, (asked += 1));
    });
    list.on('requestfinished', (request) => {
      if (isOfList(request)) asked -= 1;
    });
    await list.goto(new URL('/claims?state=parked', console.url).href);
    await page.goto(new URL(`/claim?key=${encodeURIComponent(KEY)}`, console.url).href);
    await page.getByText(/^Next: Waits for you/).waitFor();
    await list.getByRole('link', { name: KEY }).waitFor();
    await put(console.store, [aClaim('orders#v1:2', 'parked')]);
    await list.getByRole('link', { name: 'orders#v1:2' }).waitFor();
    expect(mostAsked).toBe(1);
  });

  it('says what to do when another server runs at its address, and goes on once that was done', async () => {
    await console.open(page);
    await live();
    await console.stopServer();
    await page.getByText('Connecting again').waitFor();
    await console.startServer();
    await page.getByText(/open the address/i).waitFor();
    // In another tab of the same browser.
    const other = await page.context().newPage();
    await console.open(other);
    await live(other);
    await counter(/^Parked 1\b/);
  });

  it('says that the claim store is away, and goes on by itself when it is back', async () => {
    await console.open(page);
    await counter(/^Parked 1\b/);
    await way.disable();
    await page
      .getByRole('alert')
      .getByText(/could not be read/i)
      .waitFor({ timeout: 90_000 });
    await counter(/^Parked 1 as of/);
    await way.enable();
    await page.getByRole('alert').waitFor({ state: 'detached', timeout: 90_000 });
    await put(console.store, [aClaim('orders#v1:2', 'parked')]);
    await counter(/^Parked 2$/);
  });

  it('says on every page that the store is away, and each shows its claims once it is back', async () => {
    await console.open(page);
    await counter(/^Parked 1\b/);
    await way.disable();
    const list = await page.context().newPage();
    await list.goto(new URL('/claims?state=parked', console.url).href);
    await page.goto(new URL(`/claim?key=${encodeURIComponent(KEY)}`, console.url).href);
    for (const shown of [list, page]) {
      await shown.getByRole('alert').getByText('The store does not answer.').waitFor({ timeout: 90_000 });
    }
    await way.enable();
    await list.getByRole('link', { name: KEY }).waitFor({ timeout: 90_000 });
    await page
      .getByText(/^Next: Waits for you: failed for good after 1 attempt, at/)
      .waitFor({ timeout: 90_000 });
    for (const shown of [list, page])
      await shown.getByRole('alert').waitFor({ state: 'detached', timeout: 90_000 });
  });

  describe('beside another person', () => {
    it('is told when the claim was changed while the dialog was open', async () => {
      await console.open(page, '/claims?state=parked');
      await rowButton(page, KEY, /release/i).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/reason/i).fill('mine');
      await releaseByAnother();
      await dialog.getByRole('button', { name: /release 1 claim/i }).click();
      await dialog
        .getByText(/changed since you looked/i)
        .first()
        .waitFor();
      expect(await console.store.read(KEY)).toMatchObject({ history: [{ reason: 'by somebody else' }] });
    });

    it('is told when it was changed before the dialog was opened, by a list that was read before', async () => {
      await console.open(page, '/claims?state=parked');
      await rowButton(page, KEY, /release/i).waitFor();
      await releaseByAnother();
      await rowButton(page, KEY, /release/i).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/1 claim changed since you looked/i).waitFor();
      expect(await dialog.getByRole('button', { name: /release 1 claim/i }).count()).toBe(0);
    });
  });

  async function releaseByAnother(): Promise<void> {
    const claim = await console.store.read(KEY);
    if (claim === undefined) throw new Error('The claim is gone');
    await releaseClaim(console.store, claim, { operator: 'ann', reason: 'by somebody else' });
  }

  /** As the browser does when another tab is chosen. */
  async function setHidden(isHidden: boolean): Promise<void> {
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'));`);
  }
});
