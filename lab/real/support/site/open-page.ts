import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { BrowserOfTest } from '../console/browser.ts';

/** The browser of a test file, and the site that it reads. */
export interface SiteOfTest {
  readonly browser: BrowserOfTest;
  readonly siteUrl: string;
}

/** Opens a page of the site, and waits until it shows a text. */
export async function openPage(page: Page, url: string, shown: string): Promise<void> {
  await page.goto(url, { waitUntil: 'load' });
  await page.locator('#VPContent').getByText(shown).filter({ visible: true }).first().waitFor();
}

/** Waits until a text is the expected one. */
export async function expectText(read: () => Promise<string>, expected: string | RegExp): Promise<void> {
  const deadline = performance.now() + 20_000;
  let text = await read();
  const isIt = (): boolean => (typeof expected === 'string' ? text === expected : expected.test(text));
  while (!isIt() && performance.now() < deadline) text = await read();
  expect(text).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
}
