import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { releaseClaim } from 'batchlatch/operations';
import type { Page } from 'playwright-core';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { aClaim, put } from './support/console/claims.ts';
import { type ConsoleOfTest, openConsole } from './support/console/open-console.ts';

const PARKED = ['orders#v1:1', 'orders#v1:2', 'orders#v1:3'];
const FORMULA = '=HYPERLINK("http://example.com")';

describeWith([chromium, componentNamed('dynoxide')], 'the list of claims', () => {
  let browser: BrowserOfTest;
  let database: LocalService;
  let console: ConsoleOfTest;
  let page: Page;
  beforeAll(async () => {
    [browser, database] = await Promise.all([startBrowser(), startDynamoDBEmulator('dynoxide')]);
    console = await openConsole({
      endpoint: database.endpoint,
      claims: [
        ...PARKED.map((key) => aClaim(key, 'parked')),
        aClaim('invoices#v1:1', 'parked', { error: { name: 'Error', message: FORMULA } }),
        aClaim('orders#v1:4', 'completed'),
        aClaim('orders#v1:5', 'overdue'),
      ],
    });
  }, INSTALL_TIMEOUT_MS);
  afterEach(() => browser.closePages());
  afterAll(async () => {
    await console.stop();
    await Promise.all([browser.stop(), database.stop()]);
  });

  async function open(path: string): Promise<void> {
    ({ page } = await browser.newPage());
    await console.open(page, path);
  }
  /** What the list shows, once it shows so many. */
  async function keys(count: number): Promise<string[]> {
    await page.getByText(new RegExp(`^${count} claims?\\b`)).waitFor();
    const links = page.getByRole('table', { name: 'Claims' }).getByRole('rowheader').getByRole('link');
    return (await links.allTextContents()).toSorted();
  }
  async function search(by: string, text: string): Promise<void> {
    await page.getByLabel('Search claims').fill(text);
    await page.keyboard.press('Enter');
    await page.getByLabel('Search by').selectOption({ label: by });
  }

  it('keeps state and search in the address: reload and Back show the same again', async () => {
    await open('/claims');
    expect(await keys(6)).toHaveLength(6);
    await search('Key begins with', 'orders#');
    expect(await keys(5)).toHaveLength(5);
    await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'Parked' }).click();
    expect(await keys(3)).toEqual(PARKED);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      state: 'parked',
      by: 'prefix',
      q: 'orders#',
    });
    await page.reload();
    expect(await keys(3)).toEqual(PARKED);
    expect(await page.getByLabel('Search claims').inputValue()).toBe('orders#');
    await page.goBack();
    expect(await keys(5)).toHaveLength(5);
    await page.goForward();
    expect(await keys(3)).toEqual(PARKED);
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await keys(4)).toEqual(['invoices#v1:1', ...PARKED]);
    expect(await page.getByLabel('Search claims').inputValue()).toBe('');
  });

  it('goes back at once from a page whose link was clicked twice', async () => {
    await open('/actions');
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Claims' });
    await link.click();
    await link.click();
    expect(await keys(6)).toHaveLength(6);
    await page.goBack();
    await page.getByRole('heading', { name: 'Actions' }).waitFor();
  });

  it('leaves room for keys and errors on a tablet', async () => {
    await open('/claims?state=parked');
    await page.setViewportSize({ width: 768, height: 900 });
    const row = page.getByRole('row').filter({ hasText: PARKED[0] ?? '' });
    for (const cell of [row.getByRole('rowheader'), row.locator('.cell-why')]) {
      expect((await cell.boundingBox())?.width).toBeGreaterThan(120);
    }
  });

  it.each([
    ['a key', 'orders#v1:4', 'orders#v1:4'],
    ['an order id, which is a key without its namespace', '4', 'orders#v1:4'],
  ])('opens the one claim of %s from any page, and Back goes to that page', async (_what, text, found) => {
    await open('/actions');
    await page.getByRole('heading', { name: 'Actions' }).waitFor();
    await page.keyboard.press('/');
    await page.locator('#search-q:focus').waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: found }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Actions' }).waitFor();
  });

  it('finds a claim by a message id and by a request id, with a way back to the list of its state', async () => {
    await open('/');
    const find = async (text: string): Promise<void> => {
      await page.getByLabel('Search claims').fill(text);
      await page.keyboard.press('Enter');
    };
    await find('message-of-orders#v1:5');
    // A message id that was shown before leads to its claim at once, another one to a list of it.
    const claim = page.getByRole('heading', { name: 'orders#v1:5' });
    await claim
      .or(page.getByRole('link', { name: 'orders#v1:5' }))
      .first()
      .waitFor();
    await find('4f1c2d3e');
    expect(await keys(6)).toContain('orders#v1:5');
    await page.getByRole('link', { name: 'orders#v1:5' }).click();
    await page
      .getByRole('navigation', { name: 'Lists with this claim' })
      .getByRole('link', { name: 'Overdue' })
      .click();
    expect(await keys(1)).toEqual(['orders#v1:5']);
  });

  it('keeps dense rows, in which more fit, and goes through them by keys', async () => {
    await open('/claims?state=parked');
    await keys(4);
    const row = page.getByRole('row').nth(1);
    const height = async (): Promise<number> => (await row.boundingBox())?.height ?? 0;
    const comfortable = await height();
    await page.keyboard.press('r');
    expect(await page.getByRole('button', { name: 'Dense rows' }).getAttribute('aria-pressed')).toBe('true');
    expect(await height()).toBeLessThan(comfortable);
    await page.reload();
    await keys(4);
    expect(await height()).toBeLessThan(comfortable);
    const names = await page.getByRole('table', { name: 'Claims' }).getByRole('rowheader').allTextContents();
    for (const key of ['j', 'j', 'k', 'j', 'x']) await page.keyboard.press(key);
    expect(await page.getByRole('checkbox', { name: `Select ${names[1] ?? ''}` }).isChecked()).toBe(true);
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: names[0] ?? '' }).waitFor();
    await page.keyboard.press('r');
  });

  it('tells times in the zone of the browser, with UTC behind them', async () => {
    ({ page } = await browser.newPage({ timezoneId: 'Asia/Tokyo' }));
    await console.open(page, '/claim?key=orders%23v1%3A4');
    const time = page.getByRole('main').locator('.facts time').first();
    const [local, utc] = [(await time.textContent()) ?? '', (await time.getAttribute('title')) ?? ''];
    expect(utc).toMatch(/ UTC$/);
    expect(Date.parse(`${local.replace(' ', 'T')}+09:00`)).toBe(
      Date.parse(utc.replace(' UTC', 'Z').replace(' ', 'T')),
    );
    const next = page
      .getByLabel('State', { exact: true })
      .getByText(/^Next: Nothing: completed, forgotten on/);
    expect(await next.locator('time').getAttribute('title')).toMatch(/ UTC\)$/);
  });

  it('finds one claim by "Record id is"', async () => {
    await open('/claims?by=record&q=message-of-orders%23v1%3A5');
    expect(await keys(1)).toEqual(['orders#v1:5']);
  });

  it('finds one claim by the hash of its key, which log lines show', async () => {
    await open('/claim?key=orders%23v1%3A4');
    const hash = await page
      .getByText(/^[0-9a-f]{16}$/)
      .first()
      .textContent();
    await page.goto(new URL('/claims', console.url).href);
    await search('Hash is', hash ?? '');
    expect(await keys(1)).toEqual(['orders#v1:4']);
  });

  it('says that nothing matches, and leads back', async () => {
    await open('/claims?state=parked&by=prefix&q=nothing');
    await page.getByText(/no claims/i).waitFor();
    await page.getByRole('link', { name: /show all claims/i }).click();
    expect(await keys(6)).toHaveLength(6);
  });

  it('remembers filters under a name, also in the next tab', async () => {
    await open('/claims?state=parked&by=prefix&q=orders%23');
    await page.getByText('Saved filters').click();
    await page.getByLabel('Name of this filter').fill('parked orders');
    await page.getByRole('button', { name: 'Save this filter' }).click();
    page = await page.context().newPage();
    await console.open(page, '/claims');
    await page.getByText('Saved filters').click();
    await page.getByRole('link', { name: 'parked orders' }).click();
    expect(await keys(3)).toEqual(PARKED);
    const menu = page.getByLabel('Name of this filter');
    if (!(await menu.isVisible())) await page.getByText('Saved filters').click();
    await page.getByRole('button', { name: /delete the filter parked orders/i }).click();
    await page.getByText('No filter is saved in this browser.').waitFor();
  });

  it('exports all that match as JSON and as CSV, in which no spreadsheet finds a formula', async () => {
    await open('/claims?state=parked');
    await keys(4);
    const json = JSON.parse(await download('JSON')) as { key: string; state: string }[];
    expect(json.map(({ key }) => key).toSorted()).toEqual(['invoices#v1:1', ...PARKED]);
    expect(json).not.toContainEqual(expect.objectContaining({ result: expect.anything() }));
    const [heading, ...lines] = (await download('CSV')).trim().split('\r\n');
    expect(heading).toMatch(/^key,/);
    expect(lines).toHaveLength(4);
    expect(lines.find((line) => line.startsWith('invoices'))).toContain(`'=HYPERLINK`);
  });

  async function download(name: string): Promise<string> {
    const started = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    return readFile(await (await started).path(), 'utf8');
  }

  it('deletes a claim when its dialog is confirmed with a reason', async () => {
    await open('/claims?by=key&q=invoices%23v1%3A1');
    await keys(1);
    await page.getByRole('checkbox', { name: /invoices#v1:1/ }).check();
    await page.getByRole('button', { name: /forget/i }).click();
    const dialog = page.getByRole('dialog');
    const forget = dialog.getByRole('button', { name: /forget 1 claim/i });
    await dialog.getByText(/cannot be undone/i).waitFor();
    expect(await forget.isEnabled()).toBe(false);
    await dialog.getByLabel(/reason/i).fill('made by mistake');
    await forget.click();
    await page.getByText('1 claim forgotten').waitFor();
    expect(await console.store.read('invoices#v1:1')).toBeUndefined();
  });

  it('releases all that match, and says before how many and which', async () => {
    await open('/claims?state=parked&by=prefix&q=orders%23');
    await keys(3);
    await page.getByRole('checkbox', { name: /all that match/i }).check();
    await page
      .getByRole('group', { name: /change claims/i })
      .getByRole('button', { name: /release/i })
      .click();
    const dialog = page.getByRole('dialog', { name: /release 3 claims/i });
    await dialog.getByText(/3 claims may run again at the next delivery/i).waitFor();
    for (const key of PARKED) await dialog.getByText(key).waitFor();
    const release = dialog.getByRole('button', { name: /release 3 claims/i });
    expect(await release.isEnabled()).toBe(false);
    await dialog.getByLabel(/reason/i).fill('the bank is back');
    await release.click();
    await page.getByText('3 claims released').waitFor();
    for (const key of PARKED) expect(await console.store.read(key)).toMatchObject({ status: 'FAILED' });
    await page.getByText(/no claims/i).waitFor();
  });

  it('shows a released claim as released, and lists it apart from failed ones', async () => {
    const claim = aClaim('shop#v1:1', 'parked');
    await put(console.store, [claim, aClaim('shop#v1:2', 'failed')]);
    await releaseClaim(console.store, claim, { operator: 'pat', reason: 'fixed in 1.4' });
    await open('/claims?state=failed&by=prefix&q=shop%23');
    expect(await keys(2)).toEqual(['shop#v1:1', 'shop#v1:2']);
    const color = (state: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('.badge[data-state=${state}]')).color`);
    expect(await color('released')).not.toBe(await color('failed'));
    await page
      .getByRole('navigation', { name: 'Failed or released' })
      .getByRole('link', { name: 'Released' })
      .click();
    expect(await keys(1)).toEqual(['shop#v1:1']);
    await page.getByRole('link', { name: 'shop#v1:1' }).click();
    await page.getByText(/^Next: Waits for its message, .*: released at \d\d:\d\d\.$/).waitFor();
    await page.getByText(/to redrive its message/).waitFor();
  });
});
