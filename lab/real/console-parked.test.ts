import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { axeFindings, type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { aClaim } from './support/console/claims.ts';
import { type ConsoleOfTest, openConsole } from './support/console/open-console.ts';

const KINDS = [
  ['Outcome unknown', 'BATCHLATCH_LAPSED_LEASE', 'Resolve…'],
  ['Failed for good', 'card_declined', 'Release…'],
  ['Too many attempts', 'BATCHLATCH_TOO_MANY_CRASHES', 'Release…'],
  ['Done, result not kept', 'BATCHLATCH_UNSERIALIZABLE_RESULT', 'Resolve…'],
] as const;
const keyOf = (name: string): string => `orders#v1:${name}`;

describeWith([chromium, componentNamed('dynoxide')], 'the kinds of parked claims', () => {
  let browser: BrowserOfTest;
  let database: LocalService;
  let console: ConsoleOfTest;
  beforeAll(async () => {
    [browser, database] = await Promise.all([startBrowser(), startDynamoDBEmulator('dynoxide')]);
    console = await openConsole({
      endpoint: database.endpoint,
      claims: KINDS.map(([name, code]) =>
        aClaim(keyOf(name), 'parked', { error: { name: 'Error', message: 'ended', code } }),
      ),
    });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await browser.closePages();
    await console.stop();
    await Promise.all([browser.stop(), database.stop()]);
  });

  it.each(['light', 'dark'] as const)('can be read in the %s theme, and filtered', async (colorScheme) => {
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
  });

  async function firstButton(page: Page): Promise<string | null> {
    const buttons = page.getByRole('group', { name: 'Change this claim' }).getByRole('button');
    return buttons.first().textContent();
  }
});
