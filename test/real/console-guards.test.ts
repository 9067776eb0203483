import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startDynamoDBEmulator } from '../../src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { chromium } from '../support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../support/components/describe-with.ts';
import { componentNamed } from '../support/components/index.ts';
import { until } from '../support/until.ts';
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
    await page.getByRole('rowheader', { name: MUCH_HAPPENED }).waitFor();
    await tabTo(/^release.* orders#v1:much-happened/i);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/reason/i).waitFor();
    await focusIsOn(/reason/i);
    await page.keyboard.press('Escape');
    await focusIsOn(/^release.* orders#v1:much-happened/i);
    await page.keyboard.press('Enter');
    await dialog.getByLabel(/reason/i).waitFor();
    await page.keyboard.type('with no mouse');
    await page.keyboard.press('Enter');
    await page.getByText('1 claim released').waitFor();
    expect(await page.evaluate('document.activeElement === document.body')).toBe(false);
    expect(await shop.store.inspect(MUCH_HAPPENED)).toMatchObject({
      history: [{ operator: 'ann' }, { reason: 'with no mouse' }],
    });
  });

  it('that a browser has no cookie of shows nothing, and says what to open', async () => {
    ({ page } = await browser.newPage());
    const answer = await page.goto(new URL('/', shop.url).href);
    expect(answer?.status()).toBe(401);
    await page.getByText(/open the address/i).waitFor();
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
      const headers = { 'content-type': 'application/json' };
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
