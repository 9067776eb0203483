import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { busyQuarter, NOW } from './support/console/busy-quarter.ts';
import { palettePng } from './support/console/palette-png.ts';
import { builtApp } from './support/console/built-app.ts';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start-console.ts';

const VIEWPORT = { width: 1_280, height: 952 };
const MOST_BYTES = 150_000;
/** Of 255, on average over a coarse copy: another font or browser stays below it, another page does not. */
const MOST_DIFFERENCE = 8;

// UPDATE_SCREENSHOTS=1 npm run lab:real -- console-screenshots
describeWith([chromium], 'the pictures of the console in the README', () => {
  let browser: BrowserOfTest;
  let console: RunningConsole;
  beforeAll(async () => {
    browser = await startBrowser();
    console = await startConsole({
      ...(await busyQuarter()),
      place: 'table claims',
      operator: 'pat@desk',
      allowChanges: true,
      version: '1.0.0',
      appFolder: await builtApp(),
    });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await console.stop();
    await browser.stop();
  });

  it.each(['light', 'dark'] as const)('show it as it is now, %s', async (colorScheme) => {
    const { page, problems } = await browser.newPage({
      colorScheme,
      viewport: VIEWPORT,
      locale: 'en-US',
      timezoneId: 'UTC',
    });
    await page.clock.setFixedTime(NOW);
    await page.goto(console.url);
    await page.getByRole('heading', { name: /waiting and running times/i }).waitFor();
    const picture = await page.screenshot({ animations: 'disabled' });
    await page.goto('about:blank');
    const file = `docs/images/console-${colorScheme}.png`;
    if (process.env['UPDATE_SCREENSHOTS'] === '1') await writeFile(file, await palettePng(page, picture));
    expect((await stat(file)).size).toBeLessThan(MOST_BYTES);
    expect(await difference(page, await readFile(file), picture)).toBeLessThan(MOST_DIFFERENCE);
    expect(problems).toEqual([]);
  });
});

/** How much two pictures differ, from 0 to 255, by a page that has no policy. */
async function difference(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const addresses = [one, other].map((picture) => `data:image/png;base64,${picture.toString('base64')}`);
  return page.evaluate(`(async (addresses) => {
    const pixels = await Promise.all(addresses.map(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const coarse = new OffscreenCanvas(64, 48).getContext('2d');
      coarse.drawImage(image, 0, 0, 64, 48);
      return coarse.getImageData(0, 0, 64, 48).data;
    }));
    const [one, other] = pixels;
    return one.reduce((sum, value, index) => sum + Math.abs(value - other[index]), 0) / one.length;
  })(${JSON.stringify(addresses)})`);
}
