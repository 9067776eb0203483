import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { freePort } from '../../../../packages/cli/src/dev/emulators/free-port.ts';
import { startChromium } from '../../../../test/support/components/chromium.ts';
import { type RunningLighthouse, startLighthouse } from '../../../../test/support/components/lighthouse.ts';

/** The browser of a test file. */
export interface BrowserOfTest {
  /**
   * A tab of its own person, who has no cookie yet. `problems` collects what the browser complains of: errors, what the
   * content security policy kept out, and scripts that failed.
   */
  newPage(options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Closes every tab. */
  closePages(): Promise<void>;
  /** Lighthouse on this browser; it starts with the first call. */
  lighthouse(): Promise<RunningLighthouse>;
  stop(): Promise<void>;
}

/** A tab, and what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: string[];
}

/** What never shows is still told within a test; a busy machine may take long to show it. */
const ASK_WITHIN_MS = 60_000;

/** Starts the browser that the tests of a file share. */
export async function startBrowser(): Promise<BrowserOfTest> {
  const debuggingPort = await freePort();
  const browser = await startChromium([`--remote-debugging-port=${debuggingPort}`]);
  let lighthouse: Promise<RunningLighthouse> | undefined;
  return {
    newPage: (options) => watchedPage(browser, options),
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    lighthouse: () => (lighthouse ??= startLighthouse(debuggingPort)),
    async stop() {
      await (await lighthouse)?.stop();
      await browser.close();
    },
  };
}

async function watchedPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(ASK_WITHIN_MS);
  const problems: string[] = [];
  await context.addInitScript(TELL_VIOLATIONS);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return { page, problems };
}

/** In words that say where: the browser's own do not. */
const TELL_VIOLATIONS = `
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
    console.error('Content security policy:', effectiveDirective, blockedURI, sample);
  });`;

/** The rules of axe that look at colours: of all others, what holds in one theme holds in the other. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds on the page as it is now: the rule, and where. In the dark theme it looks at the colours alone. */
export async function axeFindings(page: Page, theme: 'light' | 'dark' = 'light'): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify(theme === 'dark' ? { runOnly: OF_COLOURS } : {});
  return page.evaluate(`axe.run(${options}).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => [id + ': ' + help, ...nodes.map(({ html }) => html)].join('\\n  ')))`);
}

/** A button of the row of a table that is about this key. */
export function rowButton(page: Page, key: string, name: RegExp): Locator {
  return page.getByRole('row').filter({ hasText: key }).getByRole('button', { name });
}
