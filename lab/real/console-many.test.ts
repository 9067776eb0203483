import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { type BrowserOfTest, startBrowser, type WatchedPage } from './support/console/browser.ts';
import { aClaim, type StateOfTest } from './support/console/claims.ts';
import { type ConsoleOfTest, openConsole } from './support/console/open-console.ts';

const CLAIMS = 10_000;

describeWith([chromium, componentNamed('dynoxide')], `${CLAIMS} claims`, () => {
  let browser: BrowserOfTest;
  let database: LocalService;
  let console: ConsoleOfTest;
  let watched: WatchedPage;
  beforeAll(async () => {
    [browser, database] = await Promise.all([startBrowser(), startDynamoDBEmulator('dynoxide')]);
    console = await openConsole({
      endpoint: database.endpoint,
      claims: Array.from({ length: CLAIMS }, (_, index) =>
        aClaim(`orders#v1:${String(index).padStart(5, '0')}`, stateOf(index)),
      ),
    });
    watched = await browser.newPage();
    await console.open(watched.page);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    expect(watched.problems).toEqual([]);
    await console.stop();
    await Promise.all([browser.stop(), database.stop()]);
  });

  it('are counted by the index on the first page', async () => {
    const { page } = watched;
    await page.reload();
    for (const link of [/^Overdue 500\b/, /^Parked 1,000\b/, /^In progress 500\b/]) {
      await page.getByRole('link', { name: link }).first().waitFor();
    }
    // What no index knows is not counted without being asked for.
    await page.getByRole('button', { name: /count all claims/i }).click();
    await page
      .getByRole('link', { name: /^Completed 8,000\b/ })
      .first()
      .waitFor();
  });

  it('are listed page by page', async () => {
    const { page } = watched;
    await page
      .getByRole('link', { name: /^parked/i })
      .first()
      .click();
    await page.getByText(/^100 claims so far/).waitFor();
    for (let shown = 200; shown <= 400; shown += 100) {
      await page.getByRole('button', { name: 'Read on' }).click();
      await page.getByText(new RegExp(`^${shown} claims so far`)).waitFor();
    }
    await page.getByRole('checkbox', { name: /select all that are shown/i }).check();
    await page.getByText('400 claims selected').waitFor();
  });

  it('and all that match are released at once, with the count said before', async () => {
    const { page } = watched;
    await page.getByRole('checkbox', { name: /all that match/i }).check();
    await page
      .getByRole('group', { name: /change claims/i })
      .getByRole('button', { name: /release/i })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/reason/i).fill('the bank is back');
    await dialog.getByRole('button', { name: 'Release 1,000 claims' }).click();
    await page.getByText('1,000 claims released').waitFor({ timeout: 90_000 });
    expect((await console.store.count({ state: 'parked' })).count).toBe(0);
  });
});

function stateOf(index: number): StateOfTest {
  const place = index % 20;
  if (place < 2) return 'parked';
  if (place === 2) return 'overdue';
  return place === 3 ? 'in-progress' : 'completed';
}
