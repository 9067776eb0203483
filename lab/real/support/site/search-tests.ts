import { afterAll, expect, it } from '@jest/globals';
import { openPage, type SiteOfTest } from './open-page.ts';

/** Tests of the search, which has its index on the site itself. */
export function testSearch(siteOfTest: () => SiteOfTest): void {
  afterAll(() => siteOfTest().browser.closePages());

  it('finds a page by a word of it, before the reference that has the word too', async () => {
    const { browser, siteUrl } = siteOfTest();
    const { page } = await browser.newPage();
    await openPage(page, siteUrl, 'What is guaranteed');
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.locator('#localsearch-input').fill('onLapsedLease');
    await page.locator('#localsearch-list a').first().click();
    await page.waitForURL(/\/policies\/crashes\.html/);
    await page.locator('main').getByText('onLapsedLease').first().waitFor();
  });

  it('finds pages without a network, once it is open', async () => {
    const { browser, siteUrl } = siteOfTest();
    const { page } = await browser.newPage();
    await openPage(page, siteUrl, 'What is guaranteed');
    const index = page.waitForResponse(/localSearchIndex/);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await (await index).finished();
    await page.context().setOffline(true);
    await page.locator('#localsearch-input').fill('fencing token');
    const found = page.locator('#localsearch-list a');
    await found.first().waitFor();
    expect(await found.count()).toBeGreaterThan(2);
  });
}
