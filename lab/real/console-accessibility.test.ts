import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { lighthouse } from '../../test/support/components/lighthouse.ts';
import {
  axeFindings,
  type BrowserOfTest,
  rowButton,
  startBrowser,
  type WatchedPage,
} from './support/console/browser.ts';
import { MUCH_HAPPENED, openShop, type ShopConsole } from './support/console/shop.ts';

/** Each page, and what is on it once it is complete. */
const PAGES: Readonly<Record<string, string | RegExp>> = {
  '/': /who holds claims/i,
  '/claims': 'orders#v1:done-0',
  [`/claim?key=${encodeURIComponent(MUCH_HAPPENED)}`]: 'the bank is back',
  '/dead-letters?queue=orders-dlq': 'orders#v1:b',
  '/actions': /.*/,
};
const NARROW = { width: 360, height: 740 };

describeWith([chromium, lighthouse, componentNamed('dynoxide')], 'the pages of the console', () => {
  let browser: BrowserOfTest;
  let services: LocalService[];
  let shop: ShopConsole;
  beforeAll(async () => {
    const [database, queues] = await Promise.all([startDynamoDBEmulator('dynoxide'), startSqsEmulator()]);
    services = [database, queues];
    browser = await startBrowser();
    shop = await openShop({ endpoint: database.endpoint, sqsEndpoint: queues.endpoint, readEveryMs: 1_000 });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await shop.stop();
    await browser.stop();
    await Promise.all(services.map((service) => service.stop()));
  });

  describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
    let watched: WatchedPage;
    beforeAll(async () => {
      watched = await browser.newPage({ colorScheme });
      await shop.open(watched.page);
    });
    afterAll(() => browser.closePages());

    it.each(Object.entries(PAGES))('%s: nothing that axe and Lighthouse find', async (path, shown) => {
      const { page, problems } = watched;
      await show(page, path, shown);
      expect(await axeFindings(page, colorScheme)).toEqual([]);
      // Of its rules, only axe's depend on the theme.
      if (colorScheme === 'light')
        expect(await (await browser.lighthouse()).check(page.url())).toEqual({ score: 100, failed: [] });
      expect(problems).toEqual([]);
    });

    it('a dialog and the list of shortcuts: nothing that axe finds', async () => {
      const { page } = watched;
      await show(page, '/claims?state=parked', MUCH_HAPPENED);
      await rowButton(page, MUCH_HAPPENED, /release/i).click();
      await page
        .getByRole('dialog')
        .getByLabel(/reason/i)
        .waitFor();
      expect(await axeFindings(page, colorScheme)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page
        .getByRole('dialog')
        .getByText(/search claims/i)
        .waitFor();
      expect(await axeFindings(page, colorScheme)).toEqual([]);
      await page.keyboard.press('Escape');
    });

    it.each(Object.entries(PAGES))('%s fits a screen of 360 pixels', async (path, shown) => {
      const { page } = watched;
      await page.setViewportSize(NARROW);
      await show(page, path, shown);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
    });
  });

  it('follow the switch of the theme, also after a reload', async () => {
    const { page } = await browser.newPage({ colorScheme: 'light' });
    await shop.open(page);
    const light = await background(page);
    const change = page.getByRole('button', { name: /^theme/i });
    for (let clicks = 0; clicks < 3 && (await background(page)) === light; clicks += 1) await change.click();
    const dark = await background(page);
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await background(page)).toBe(dark);
    await browser.closePages();
  });

  async function show(page: Page, path: string, shown: string | RegExp): Promise<void> {
    await page.goto(new URL(path, shop.url).href);
    await page.getByRole('main').getByText(shown).first().waitFor();
  }
});

function background(page: Page): Promise<string> {
  return page.evaluate('getComputedStyle(document.body).backgroundColor');
}
