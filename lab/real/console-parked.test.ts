import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { axeFindings, type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { aClaim } from './support/console/claims.ts';
import { type ConsoleOfTest, openConsole } from './support/console/open-console.ts';
import { parkedOutbox } from '../../test/support/parked-outbox.ts';

const KINDS = [
  ['Outcome unknown', 'BATCHLATCH_LAPSED_LEASE', 'Resolve…'],
  ['Failed for good', 'card_declined', 'Release…'],
  ['Too many attempts', 'BATCHLATCH_TOO_MANY_CRASHES', 'Release…'],
  ['Done, result not kept', 'BATCHLATCH_UNSERIALIZABLE_RESULT', 'Resolve…'],
] as const;
const HOSTILE = '<svg/onload=window.hacked=1>';
const keyOf = (name: string): string => `orders#v1:${name}`;

describeWith([chromium, componentNamed('dynoxide')], 'what is parked', () => {
  let browser: BrowserOfTest;
  let database: LocalService;
  let console: ConsoleOfTest;
  let parked: Awaited<ReturnType<typeof parkedOutbox>>;
  beforeAll(async () => {
    [browser, database] = await Promise.all([startBrowser(), startDynamoDBEmulator('dynoxide')]);
    parked = await parkedOutbox(database.endpoint, HOSTILE);
    console = await openConsole({
      outbox: parked.outbox,
      endpoint: database.endpoint,
      claims: KINDS.map(([name, code]) =>
        aClaim(keyOf(name), 'parked', { error: { name: 'Error', message: 'ended', code } }),
      ),
    });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await browser.closePages();
    await console.stop();
    parked.stop();
    await Promise.all([browser.stop(), database.stop()]);
  });

  it.each(['light', 'dark'] as const)(
    'are claims, which can be read in the %s theme, and filtered',
    async (colorScheme) => {
      const { page } = await browser.newPage({ colorScheme });
      await console.open(page, '/claims?state=parked');
      await page.getByText(/^4 claims\b/).waitFor();
      expect(await axeFindings(page)).toEqual([]);
      for (const [name, , first] of KINDS) {
        await page.getByRole('navigation', { name: 'Why parked' }).getByRole('link', { name }).click();
        await page.getByText(/^1 claim\b/).waitFor();
        expect(new URL(page.url()).searchParams.get('state')).toBe('parked');
        await page
          .getByRole('rowheader')
          .getByRole('link', { name: keyOf(name) })
          .click();
        expect(await firstButton(page)).toBe(first);
        await page.getByLabel('State', { exact: true }).getByText(name, { exact: true }).waitFor();
        expect(await axeFindings(page)).toEqual([]);
        await page.goBack();
        await page.getByText(/^1 claim\b/).waitFor();
      }
    },
  );

  it('are rows of an outbox, which the first screen leads to, and which the keyboard releases', async () => {
    const { page, problems } = await browser.newPage({ colorScheme: 'dark' });
    await console.open(page);
    await page.getByText(/^2 rows parked in the outbox/).waitFor();
    await page.getByRole('link', { name: 'Release rows of the outbox' }).click();
    await page.getByText('Waits for you to release or drop it, and the later rows').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.getByText('Waits until the parked row of its group is released or dropped.').waitFor();
    const states = await page.getByRole('main').locator('tbody .badge').allTextContents();
    expect(states).toEqual(['Parked', 'Parked', 'Waiting']);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.getByText('o-bad').count()).toBe(0);
    await outboxRow(page, 'a')
      .getByRole('button', { name: /^show the body/i })
      .click();
    await page.getByText('"o-bad"').waitFor();
    await outboxRow(page, 'a')
      .getByRole('button', { name: /^release/i })
      .focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Release 1 row' });
    await dialog.getByLabel('Reason').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.type('the queue is back');
    await page.keyboard.press('Enter');
    await page.getByText('1 row released').waitFor();
    const { entries } = await parked.outbox.admin.list({ state: 'waiting' });
    expect(entries.find(({ history }) => history.length > 0)).toMatchObject({
      group: 'a',
      history: [{ operation: 'release', operator: 'pat@desk', reason: 'the queue is back' }],
    });
    expect(problems).toEqual([]);
  });

  it('are dropped rows after a person dropped them, with a hostile reason as text, on a narrow screen', async () => {
    const { page, problems } = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await console.open(page, '/outbox?state=parked');
    const row = outboxRow(page, HOSTILE);
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Drop selected…' }).click();
    await page.getByRole('dialog', { name: 'Drop 1 row' }).getByLabel('Reason').fill(HOSTILE);
    await page.getByRole('button', { name: 'Drop 1 row' }).click();
    await page.getByText('1 row dropped').waitFor();
    await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'Dropped' }).click();
    await page.getByText(`Dropped by pat@desk: ${HOSTILE}`).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Actions' }).click();
    await page.getByRole('row').filter({ hasText: HOSTILE }).getByText('Drop (outbox)').waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it('can only be looked at where the console only reads', async () => {
    await console.restart({ allowChanges: false });
    const { page } = await browser.newPage();
    await console.open(page, '/outbox');
    await page.getByText(/rows? waits? for the relay/).waitFor();
    await page.getByRole('main').getByRole('row').nth(1).waitFor();
    expect(await page.getByRole('button', { name: /release|drop/i }).count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await console.restart({ allowChanges: true });
  });

  function outboxRow(page: Page, group: string): Locator {
    return page
      .getByRole('row')
      .filter({ hasText: 'Refused for good' })
      .filter({ hasText: `group ${group},` });
  }

  async function firstButton(page: Page): Promise<string | null> {
    const buttons = page.getByRole('group', { name: 'Change this claim' }).getByRole('button');
    return buttons.first().textContent();
  }
});
