import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { type FailedOrders, failedOrders } from '../../test/operations/failed-orders.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { type BrowserOfTest, rowButton, startBrowser } from './support/console/browser.ts';
import { aClaim } from './support/console/claims.ts';
import { type ConsoleOfTest, openConsole } from './support/console/open-console.ts';
import { startComponent } from './support/start-component.ts';

const HUNG = 'orders#v1:hung';

for (const name of ['dynoxide', 'dynamodb-local']) {
  // By what a person reads and nothing else: from the first page on, without help.
  describeWith([chromium, componentNamed(name)], `somebody who never saw the console, on ${name}`, () => {
    let browser: BrowserOfTest;
    let database: LocalService;
    let queues: LocalService;
    let console: ConsoleOfTest;
    let orders: FailedOrders;
    beforeAll(async () => {
      [browser, database, queues] = await Promise.all([
        startBrowser(),
        startComponent(name),
        startSqsEmulator(),
      ]);
      console = await openConsole({ endpoint: database.endpoint, claims: [aClaim(HUNG, 'overdue')] });
      orders = await failedOrders({ endpoint: queues.endpoint, options: { store: console.store } });
      await console.restart({
        sqs: orders.sqs,
        queues: [
          { name: 'orders', url: orders.queueUrl, isDeadLetter: false },
          { name: 'orders-dlq', url: orders.deadLetterUrl, isDeadLetter: true },
        ],
      });
      await orders.fail('a', 'b', 'c');
      orders.isBroken = false;
      orders.runs.length = 0;
    }, INSTALL_TIMEOUT_MS);
    afterEach(() => browser.closePages());
    afterAll(async () => {
      await console.stop();
      orders.stop();
      await Promise.all([browser.stop(), database.stop(), queues.stop()]);
    });

    it('releases a parked order, and it is released in the store', async () => {
      const { page } = await browser.newPage();
      await console.open(page);
      await page.getByRole('link', { name: /release/i }).click();
      const release = rowButton(page, orders.key('a'), /release/i);
      await release.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/reason/i).fill('the bank is back');
      await dialog.getByRole('button', { name: /release 1 claim/i }).click();
      await page.getByText('1 claim released').waitFor();
      expect(await console.store.inspect(orders.key('a'))).toMatchObject({
        status: 'FAILED',
        history: [{ operation: 'release', operator: 'pat@desk', reason: 'the bank is back' }],
      });
      await release.waitFor({ state: 'detached' });
    });

    it('resolves a hung one', async () => {
      const { page } = await browser.newPage();
      await console.open(page);
      await page.getByRole('link', { name: /resolve/i }).click();
      await page.getByRole('link', { name: HUNG }).click();
      await page.getByRole('heading', { level: 1, name: HUNG }).waitFor();
      await page.getByRole('button', { name: /resolve/i }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/reason/i).fill('charged by hand');
      await dialog.getByLabel(/result/i).fill('{"chargeId":"ch_7"}');
      await dialog.getByRole('button', { name: /resolve 1 claim/i }).click();
      await page.getByText('1 claim resolved').waitFor();
      expect(await console.store.inspect(HUNG)).toMatchObject({
        status: 'COMPLETED',
        result: '{"chargeId":"ch_7"}',
        history: [{ operation: 'resolve', reason: 'charged by hand' }],
      });
    });

    it('redrives the dead-letter queue, and its messages run', async () => {
      const { page } = await browser.newPage();
      await console.open(page);
      await page.getByRole('link', { name: /redrive/i }).click();
      await page.getByText(orders.key('c')).waitFor();
      await page.getByRole('button', { name: /redrive all/i }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/reason/i).fill('fixed in 1.4');
      await dialog.getByRole('button', { name: /redrive 3 messages/i }).click();
      await page.getByText(/3 messages .*redriven/i).waitFor();
      await orders.deliver();
      expect(orders.runs.toSorted()).toEqual(['a', 'b', 'c']);
      expect(await orders.depth(orders.deadLetterUrl)).toBe(0);
    });

    it('finds what was done in the action log', async () => {
      const { page, problems } = await browser.newPage();
      await console.open(page);
      await page.getByRole('link', { name: /actions/i }).click();
      for (const reason of ['the bank is back', 'charged by hand', 'fixed in 1.4']) {
        await page.getByRole('row').filter({ hasText: reason }).filter({ hasText: 'pat@desk' }).waitFor();
      }
      expect(problems).toEqual([]);
    });
  });
}
