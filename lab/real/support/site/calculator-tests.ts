import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from '@jest/globals';
import { measuredOn } from '../../../../site/costs/measured.ts';
import { dollars, EXAMPLES, monthlyBill, type Workload } from '../../../../site/costs/monthly-bill.ts';
import { axeFindings } from '../console/browser.ts';
import { expectText, openPage, type SiteOfTest } from './open-page.ts';

/** Tests of the calculators for costs and for settings. */
export function testCalculators(siteOfTest: () => SiteOfTest): void {
  afterAll(() => siteOfTest().browser.closePages());

  it('computes the costs that the table of examples has', async () => {
    const { browser, siteUrl } = siteOfTest();
    const { page } = await browser.newPage();
    await openPage(page, `${siteUrl}/costs-calculator.html`, 'US dollars a month');
    const measured = measuredOn(readFileSync('docs/costs.md', 'utf8'));
    const total = page
      .getByRole('row', { name: /^Total/ })
      .getByRole('cell')
      .first();
    for (const example of EXAMPLES) {
      await page.getByLabel('Messages a month').fill(String(example.messagesPerMonth / 1_000_000));
      const expected = dollars(monthlyBill(example, measured, 'batchlatch').total);
      await expectText(() => total.innerText(), expected);
    }
    await page.getByLabel('Messages in a batch').fill('1000');
    const large: Workload = { ...(EXAMPLES[2] as Workload), batchSize: 1_000 };
    await expectText(() => total.innerText(), dollars(monthlyBill(large, measured, 'batchlatch').total));
  });

  it.each(['light', 'dark'] as const)(
    'draws the life of a message in the %s theme, and says which setting breaks it',
    async (colorScheme) => {
      const { browser, siteUrl } = siteOfTest();
      const { page, problems } = await browser.newPage({
        colorScheme,
        viewport: { width: 360, height: 740 },
      });
      await openPage(page, `${siteUrl}/settings-calculator.html`, 'This is the time line for a process');
      const settings = page.getByRole('region', { name: 'Settings' });
      const summary = settings.getByRole('status');
      await expectText(() => summary.innerText(), 'Doctor finds nothing.');
      const picture = settings.getByRole('img');
      const before = await picture.getAttribute('src');

      await settings.getByLabel('What goes wrong').selectOption('process dies');
      // By the keyboard alone.
      await settings.getByLabel('Visibility timeout').focus();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('20');
      await expectText(() => summary.innerText(), 'Doctor finds 2 mistakes.');
      await expectText(() => settings.getByRole('row').nth(2).innerText(), /does not run: a lease is live/);
      expect(await settings.getByRole('article').allInnerTexts()).toEqual([
        expect.stringContaining('visibility-timeout-too-short'),
        expect.stringContaining('lease-longer-than-visibility'),
      ]);
      expect(await picture.getAttribute('src')).not.toBe(before);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);

      await settings.getByRole('article').first().getByRole('link').click();
      await page.waitForURL(/\/deploying\.html#what-a-function-needs/);
      expect(problems).toEqual([]);
    },
  );

  it('says in the words of the library why it refuses an option', async () => {
    const { browser, siteUrl } = siteOfTest();
    const { page } = await browser.newPage();
    await openPage(page, `${siteUrl}/settings-calculator.html`, 'This is the time line for a process');
    await page.getByLabel('Lease (leaseMs)').fill('0');
    await expectText(
      () => page.getByRole('alert').innerText(),
      /Expected `leaseMs` to be an integer from 1 up/,
    );
  });
}
