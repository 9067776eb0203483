import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LinkChecker, LinkState } from 'linkinator';
import type { Page } from 'playwright-core';
import { measuredOn } from '../../site/costs/measured.ts';
import { dollars, EXAMPLES, monthlyBill, type Workload } from '../../site/costs/monthly-bill.ts';
import { routeOf, SITE_PAGES } from '../../site/pages/site-pages.ts';
import { anchors, links } from '../../test/docs/markdown.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
import { axeFindings, type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { serveFolder, type StaticServer } from './support/static-server.ts';

const DIST = path.resolve('site/dist');
/** One of each kind, and a text on it. */
const PAGES = {
  '/': 'What is guaranteed',
  '/quick-start.html': 'From an empty folder',
  '/how-to/large-files.html': 'Split the file',
  '/concepts.html': 'What a crash leaves behind',
  '/sources.html': 'Which events',
  '/sources/sqs.html': 'The queue and the event source mapping',
  '/policies/visibility.html': 'comes again after',
  '/operations/release.html': 'Lets a key run again',
  '/stores/dynamodb.html': 'The default store',
  '/reference/batchlatch/operations/': 'releaseClaim',
  '/cli.html': 'batchlatch',
  '/decisions/': 'Half a page each',
  '/simulation.html': 'What to look for',
  '/costs-calculator.html': 'US dollars a month',
} as const;
const BUILT_WITHIN_MS = 900_000;
const NARROW = { width: 360, height: 740 };

describeWith([chromium], 'the documentation site', () => {
  let site: StaticServer;
  let browser: BrowserOfTest;
  beforeAll(async () => {
    // It ends before this hook does, which would leave it running.
    await runCommand('npm', ['run', '--silent', 'build', '-w', 'site'], { timeoutMs: BUILT_WITHIN_MS });
    [site, browser] = await Promise.all([serveFolder(DIST), startBrowser()]);
  }, BUILT_WITHIN_MS + INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.stop();
    await site?.stop();
  });

  it('has no link and no anchor that leads nowhere, and one to every page', async () => {
    const { links: found } = await new LinkChecker().check({
      path: site.url,
      recurse: true,
      checkFragments: true,
      // Thousands of pages are asked for at a time: on a busy machine a connection may be refused once.
      retryErrors: true,
      // No host but this one is asked.
      linksToSkip: async (link) => !link.startsWith(site.url),
    });
    const broken = found.filter(({ state }) => state === LinkState.BROKEN);
    expect(broken.map(({ url, parent, status }) => `${parent}: ${url} (${status})`)).toEqual([]);
    const reached = new Set(found.map(({ url }) => new URL(url).pathname));
    const pages = SITE_PAGES.map((page) => `/${routeOf(page)}.html`);
    const isReached = (page: string): boolean =>
      reached.has(page) || reached.has(page.replace(/index\.html$/, ''));
    expect(pages.filter((page) => !isReached(page))).toEqual([]);
  }, 60_000);

  it('has every page as Markdown, whose links and anchors lead somewhere', () => {
    const files = ['llms.txt', ...SITE_PAGES.map((page) => `${routeOf(page)}.md`)];
    expect(files.filter((file) => !existsSync(path.join(DIST, file)))).toEqual([]);
    const dead = files.flatMap((file) => {
      const text = readFileSync(path.join(DIST, file), 'utf8');
      return links(text)
        .filter(({ target }) => target.startsWith('/'))
        .filter(({ target }) => isDead(target))
        .map(({ target }) => `${file}: ${target}`);
    });
    expect(dead).toEqual([]);
    expect(isDead('/sources.md#no-such-heading')).toBe(true);
    const all = readFileSync(path.join(DIST, 'llms-full.txt'), 'utf8');
    expect(all).toContain('# Quick start');
    expect(all).toContain('# Sources');
  });

  it('has the API reference of every entry, and leads to it', () => {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      exports: Readonly<Record<string, object>>;
    };
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
    expect(entries.length).toBeGreaterThan(15);
    const pages = entries.map((entry) => path.posix.join('reference/batchlatch', entry, 'index.html'));
    expect(pages.filter((page) => !existsSync(path.join(DIST, page)))).toEqual([]);
    const menu = readFileSync(path.join(DIST, 'quick-start.html'), 'utf8');
    expect(pages.filter((page) => !menu.includes(`href="/${page.replace(/index\.html$/, '')}"`))).toEqual([]);
  });

  it('names no other host in what a page loads', () => {
    const assets = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(html|css)$/.test(file),
    );
    const foreign = assets.flatMap((file) => {
      const text = readFileSync(path.join(DIST, file), 'utf8');
      return [...text.matchAll(/(?:\bsrc=|url\(|<link[^>]+href=)["']?(https?:\/\/[^"') >]+)/g)].map(
        ([, url]) => `${file}: ${url}`,
      );
    });
    expect(foreign).toEqual([]);
  });

  describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
    let page: Page;
    let problems: string[];
    const foreign: string[] = [];
    beforeAll(async () => {
      ({ page, problems } = await browser.newPage({ colorScheme }));
      page.on('request', (request) => {
        if (!/^(http:\/\/127\.0\.0\.1|data:|blob:)/.test(request.url())) foreign.push(request.url());
      });
    });
    afterAll(() => browser.closePages());

    it.each(Object.entries(PAGES))(
      '%s: nothing that axe finds, no error, no request to another host',
      async (at, shown) => {
        await open(page, at, shown);
        await expect(page.evaluate('document.documentElement.classList.contains("dark")')).resolves.toBe(
          colorScheme === 'dark',
        );
        expect(await axeFindings(page)).toEqual([]);
        expect(problems).toEqual([]);
        expect(foreign).toEqual([]);
      },
    );

    it.each(Object.entries(PAGES))('%s fits a screen of 360 pixels', async (at, shown) => {
      await page.setViewportSize(NARROW);
      await open(page, at, shown);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
    });
  });

  describe('with JavaScript', () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await browser.newPage());
    });
    afterAll(() => browser.closePages());

    it('finds a page by a word of it, before the reference that has the word too', async () => {
      await open(page, '/', PAGES['/']);
      await page.getByRole('button', { name: 'Search' }).first().click();
      await page.locator('#localsearch-input').fill('onLapsedLease');
      await page.locator('#localsearch-list a').first().click();
      await page.waitForURL(/\/policies\/crashes\.html/);
      await page.locator('main').getByText('onLapsedLease').first().waitFor();
    });

    it('shows the tab that is chosen, and the one of its name when the page is opened again', async () => {
      const panel = (text: string) => page.locator('.tab', { hasText: text });
      await open(page, '/quick-start.html', PAGES['/quick-start.html']);
      expect(await panel('aws_dynamodb_table').isVisible()).toBe(false);
      await page.locator('.tabs label', { hasText: 'Terraform' }).click();
      await panel('aws_dynamodb_table').waitFor();
      await page.reload({ waitUntil: 'load' });
      await panel('aws_dynamodb_table').waitFor();
      expect(await panel('new BatchQueue(').isVisible()).toBe(false);
    });

    it('runs a fault that is picked, plays it, and says how it ended', async () => {
      await open(page, '/simulation.html', PAGES['/simulation.html']);
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

    it('computes the costs that the table of examples has', async () => {
      await open(page, '/costs-calculator.html', PAGES['/costs-calculator.html']);
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
  });

  describe('without JavaScript', () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await browser.newPage({ javaScriptEnabled: false }));
    });
    afterAll(() => browser.closePages());

    it.each(Object.entries(PAGES))('%s can be read', async (at, shown) => {
      await open(page, at, shown);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    });

    it('the home page leads to every page', async () => {
      await open(page, '/', PAGES['/']);
      const menu = page.getByRole('navigation', { name: 'All pages' });
      expect(await menu.getByRole('link').count()).toBeGreaterThan(60);
    });

    it('tabs can be chosen', async () => {
      await open(page, '/quick-start.html', PAGES['/quick-start.html']);
      const tab = page.getByRole('radio', { name: 'CDK' });
      await tab.focus();
      await page.keyboard.press('Space');
      await page.locator('.tab', { hasText: 'new BatchQueue(' }).waitFor();
    });

    it('the live pages have a picture of a run, and a table of examples', async () => {
      await open(page, '/simulation.html', PAGES['/simulation.html']);
      expect(await page.getByRole('img', { name: /One run/ }).isVisible()).toBe(true);
      await open(page, '/costs-calculator.html', PAGES['/costs-calculator.html']);
      expect(await page.getByRole('table').count()).toBe(1);
    });
  });

  async function open(page: Page, at: string, shown: string): Promise<void> {
    await page.goto(new URL(at, site.url).href, { waitUntil: 'load' });
    await page.locator('#VPContent').getByText(shown).filter({ visible: true }).first().waitFor();
  }
});

function isDead(target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const found = path.join(DIST, file);
  if (!existsSync(found)) return true;
  return anchor !== undefined && !anchors(readFileSync(found, 'utf8')).includes(anchor);
}

async function expectText(read: () => Promise<string>, expected: string | RegExp): Promise<void> {
  const deadline = performance.now() + 10_000;
  let text = await read();
  const isIt = (): boolean => (typeof expected === 'string' ? text === expected : expected.test(text));
  while (!isIt() && performance.now() < deadline) text = await read();
  expect(text).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
}
