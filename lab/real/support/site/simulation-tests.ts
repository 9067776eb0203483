import { afterAll, expect, it } from '@jest/globals';
import { expectText, openPage, type SiteOfTest } from './open-page.ts';

/** Tests of the simulation in a page. */
export function testSimulation(siteOfTest: () => SiteOfTest): void {
  afterAll(() => siteOfTest().browser.closePages());

  it('runs a fault that is picked, plays it, and says how it ended', async () => {
    const { browser, siteUrl } = siteOfTest();
    const { page } = await browser.newPage();
    await openPage(page, `${siteUrl}/simulation.html`, 'What to look for');
    const simulation = page.getByRole('region', { name: 'Simulation' });
    const status = simulation.getByRole('status');
    await expectText(
      () => status.innerText(),
      /order 1 was charged once, and the provider was asked 2 times/,
    );

    await simulation.getByLabel('What goes wrong').selectOption('poison');
    await expectText(
      () => status.innerText(),
      /order 1 was not charged, is parked.*order 2 was charged once/,
    );

    await simulation.getByRole('button', { name: 'Play' }).click();
    await simulation.getByRole('button', { name: 'Pause' }).click();
    const time = simulation.getByRole('slider');
    const paused = Number(await time.inputValue());
    expect(paused).toBeLessThan(40_000);
    await time.focus();
    await page.keyboard.press('ArrowRight');
    expect(Number(await time.inputValue())).toBeGreaterThan(paused);
    await page.keyboard.press('Home');
    await expectText(() => simulation.getByRole('row').nth(1).innerText(), /no row/);
    await page.keyboard.press('End');
    await expectText(() => simulation.getByRole('row').nth(1).innerText(), /parked/);
  });
}
