import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { type BrowserOfTest, rowButton, startBrowser, type WatchedPage } from './support/console/browser.ts';
import { aClaim } from './support/console/claims.ts';
import { openShop, type ShopConsole } from './support/console/shop.ts';
import { put } from './support/console/claims.ts';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>';
const CONTROLS = 'a\u001B[31mb\u0000c\u202Ed\u2066e';
const SHOWN_CONTROLS = String.raw`a\u001B[31mb\u0000c\u202Ed\u2066e`;
const LONG = `long-${'x'.repeat(1_500)}`;
const OPERATOR = `pat@${'host'.repeat(30)}`;
const SPACES = 'two  spaces';
const KEYS = [HOSTILE, CONTROLS, LONG, SPACES, "'; DROP TABLE claims;--", 'javascript:alert(1)'].map(
  (text) => `orders#v1:${text}`,
);
/** Beyond 2^53: a double would show …992. */
const HUGE = '9007199254740993';

describeWith([chromium, componentNamed('dynoxide')], 'what a claim or a message holds is text', () => {
  let browser: BrowserOfTest;
  let services: LocalService[];
  let shop: ShopConsole;
  let watched: WatchedPage;
  beforeAll(async () => {
    const [database, queues] = await Promise.all([startDynamoDBEmulator('dynoxide'), startSqsEmulator()]);
    services = [database, queues];
    browser = await startBrowser();
    shop = await openShop({
      endpoint: database.endpoint,
      sqsEndpoint: queues.endpoint,
      readEveryMs: 1_000,
      operator: OPERATOR,
    });
    const error = { name: HOSTILE, message: `${HOSTILE} ${CONTROLS}`, code: HOSTILE };
    const history = [
      {
        at: Date.now() - 60_000,
        operation: 'release',
        operator: HOSTILE,
        reason: HOSTILE,
        from: { status: 'PARKED', owner: 'o', attempt: 1, error },
      },
    ] as const;
    const members = { error, lockedBy: HOSTILE, recordId: HOSTILE, history };
    await put(shop.store, [
      ...KEYS.map((key) => aClaim(key, 'parked', members)),
      aClaim(`overdue#v1:${HOSTILE}`, 'overdue', { lockedBy: `${HOSTILE} ${CONTROLS}` }),
    ]);
  }, INSTALL_TIMEOUT_MS);
  afterEach(async () => {
    // Whatever a test looked at: no script ran, and the browser had nothing to complain of.
    expect(await watched.page.evaluate('window.hacked')).toBeUndefined();
    expect(watched.problems).toEqual([]);
    await browser.closePages();
  });
  afterAll(async () => {
    await shop.stop();
    await browser.stop();
    await Promise.all(services.map((service) => service.stop()));
  });

  async function open(path: string): Promise<WatchedPage['page']> {
    watched = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await shop.open(watched.page, path);
    return watched.page;
  }

  it('on the overview', async () => {
    const page = await open('/');
    await page.getByRole('link', { name: `overdue#v1:${HOSTILE}` }).waitFor();
    await page.getByText(SHOWN_CONTROLS).first().waitFor();
  });

  it('in the list, where a page of long keys still fits a narrow screen', async () => {
    const page = await open('/claims?state=parked');
    for (const text of [HOSTILE, SHOWN_CONTROLS, LONG]) {
      await page.getByRole('link', { name: `orders#v1:${text}`, exact: true }).waitFor();
    }
    expect(await page.getByRole('link', { name: /two +spaces/ }).innerText()).toContain(SPACES);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    // Whatever its text, a link leads to a page of the console.
    const addresses = await page
      .getByRole('main')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => (link as unknown as { href: string }).href));
    expect(new Set(addresses.map((address) => new URL(address).origin))).toEqual(
      new Set([new URL(shop.url).origin]),
    );
  });

  it('in a search that finds nothing, whose long words still fit a narrow screen', async () => {
    const page = await open(`/claims?q=${LONG}&error=${LONG}`);
    await page.getByText(/^No claims: key begins with/).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  it('in the name of who makes changes, which is cut in the header', async () => {
    const page = await open('/');
    await page.setViewportSize({ width: 768, height: 740 });
    await page.getByText(OPERATOR).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(768);
  });

  it.each(KEYS)("on a claim's own page: %j", async (key) => {
    const page = await open(`/claim?key=${encodeURIComponent(key)}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  it('in a dialog, and in what is said after the change', async () => {
    const key = KEYS[0] ?? '';
    const page = await open(`/claims?by=key&q=${encodeURIComponent(key)}`);
    await rowButton(page, key, /release/i).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(key).first().waitFor();
    await dialog.getByLabel(/reason/i).fill(HOSTILE);
    await dialog.getByRole('button', { name: /release 1 claim/i }).click();
    await page.getByText('1 claim released').waitFor();
    await page.getByRole('link', { name: 'Actions' }).click();
    await page.getByText(HOSTILE).first().waitFor();
  });

  it("in a dead letter's body, which is hidden until somebody asks for it, as is a result", async () => {
    await shop.orders.sqs.sendMessage({
      QueueUrl: shop.orders.deadLetterUrl,
      // SQS itself refuses most control characters.
      MessageBody: `${HOSTILE} a\u202Eb`,
    });
    const page = await open('/dead-letters?queue=orders-dlq');
    await page.getByText('orders#v1:b').first().waitFor();
    expect(await page.getByText(HOSTILE).count()).toBe(0);
    const show = page.getByRole('button', { name: /show (the )?body/i });
    while ((await show.count()) > 0) await show.first().click();
    await page.getByText(HOSTILE).first().waitFor();
    await page
      .getByText(String.raw`a\u202Eb`)
      .first()
      .waitFor();
  });

  it('and a result keeps every digit of its numbers', async () => {
    await put(shop.store, [aClaim('orders#v1:huge', 'completed', { result: `{"cents":${HUGE}}` })]);
    const page = await open('/claim?key=orders%23v1%3Ahuge');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByText(HUGE).count()).toBe(0);
    await page.getByRole('button', { name: /show (the )?result/i }).click();
    await page.getByText(HUGE).waitFor();
  });

  it('and times of clocks that differ are told with a minus sign, not as nonsense', async () => {
    const now = Date.now();
    const members = { createdAt: now, updatedAt: now - 30_000, completedAt: now - 30_000 };
    await put(shop.store, [aClaim('orders#v1:before-its-time', 'completed', members)]);
    const page = await open('/claim?key=orders%23v1%3Abefore-its-time');
    await page.getByText('−30 s').first().waitFor();
    expect(await page.getByText(/NaN|Invalid Date|undefined/).count()).toBe(0);
  });
});
