import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { routeOf, SITE_PAGES } from '../../site/pages/site-pages.ts';
import { anchors, links } from '../../test/docs/markdown.ts';
import { chromium } from '../../test/support/components/chromium.ts';
import { lighthouse, type LoadReport } from '../../test/support/components/lighthouse.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
import { axeFindings, type BrowserOfTest, startBrowser } from './support/console/browser.ts';
import { testCalculators } from './support/site/calculator-tests.ts';
import { linksOfSite } from './support/site/links-of-site.ts';
import { openPage } from './support/site/open-page.ts';
import { testPlayground } from './support/site/playground-tests.ts';
import { testSearch } from './support/site/search-tests.ts';
import { testSimulation } from './support/site/simulation-tests.ts';
import { serveFolder, type StaticServer } from './support/static-server.ts';

const DIST = path.resolve('site/dist');
/** One of each kind, and a text on it. */
const PAGES = {
  '/': 'What is guaranteed',
  '/quick-start.html': 'From an empty folder',
  '/how-to/large-files.html': 'Split the file',
  '/concepts.html': 'What a crash leaves behind',
  '/sources.html': 'can be invoked with these events',
  '/sources/sqs.html': 'The queue and the event source mapping',
  '/policies/visibility.html': 'comes again after',
  '/operations/release.html': 'run again at its next delivery',
  '/stores/dynamodb.html': 'The default store',
  '/reference/batchlatch/operations/': 'releaseClaim',
  '/cli.html': 'batchlatch',
  '/decisions/': 'Half a page each',
  '/simulation.html': 'What to look for',
  '/costs-calculator.html': 'US dollars a month',
  '/settings-calculator.html': 'This is the time line for a process',
  '/playground.html': 'What to try',
} as const;
/** The home page, a page of the reference, and the page with the most live parts. */
const AUDITED = ['/', '/reference/batchlatch/operations/', '/playground.html'] as const;
const LIGHTHOUSE_WITHIN_MS = 120_000;
const BUILT_WITHIN_MS = 900_000;
const NARROW = { width: 360, height: 740 };

describeWith([chromium, lighthouse], 'the documentation site', () => {
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

  it('has no link and no anchor that leads nowhere, and one to every page', () => {
    const { reached, dead } = linksOfSite(DIST);
    expect(dead).toEqual([]);
    const pages = SITE_PAGES.map((page) => `/${routeOf(page)}.html`);
    const isReached = (page: string): boolean =>
      reached.has(page) || reached.has(page.replace(/index\.html$/, ''));
    expect(pages.filter((page) => !isReached(page))).toEqual([]);
  });

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
        await openPage(page, new URL(at, site.url).href, shown);
        await expect(page.evaluate('document.documentElement.classList.contains("dark")')).resolves.toBe(
          colorScheme === 'dark',
        );
        expect(await axeFindings(page, colorScheme)).toEqual([]);
        expect(problems).toEqual([]);
        expect(foreign).toEqual([]);
      },
    );
  });

  describe('on a screen of 360 pixels', () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await browser.newPage({ viewport: NARROW }));
    });
    afterAll(() => browser.closePages());

    it.each(Object.entries(PAGES))('%s fits', async (at, shown) => {
      await openPage(page, new URL(at, site.url).href, shown);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width);
    });
  });

  describe('with JavaScript', () => {
    it('shows the tab that is chosen, and the one of its name when the page is opened again', async () => {
      const { page } = await browser.newPage();
      const panel = (text: string) => page.locator('.tab', { hasText: text });
      await openPage(page, `${site.url}/quick-start.html`, PAGES['/quick-start.html']);
      expect(await panel('aws_dynamodb_table').isVisible()).toBe(false);
      await page.locator('.tabs label', { hasText: 'Terraform' }).click();
      await panel('aws_dynamodb_table').waitFor();
      await page.reload({ waitUntil: 'load' });
      await panel('aws_dynamodb_table').waitFor();
      expect(await panel('new BatchQueue(').isVisible()).toBe(false);
    });

    testSearch(() => ({ browser, siteUrl: site.url }));
    testSimulation(() => ({ browser, siteUrl: site.url }));
    testCalculators(() => ({ browser, siteUrl: site.url }));
    testPlayground(() => ({ browser, siteUrl: site.url }));
  });

  it('moves the picture of a batch only for readers who do not prefer reduced motion', async () => {
    const shown = async (reducedMotion: 'reduce' | 'no-preference', width: number): Promise<unknown> => {
      const { page } = await browser.newPage({ reducedMotion, viewport: { width, height: 800 } });
      await openPage(page, site.url, PAGES['/']);
      return page.evaluate(`(({ currentSrc, naturalWidth }) =>
        ({ moves: currentSrc.endsWith('#moving'), width: naturalWidth }))(
          document.querySelector('#VPContent picture img'))`);
    };
    expect(await shown('no-preference', 1_200)).toEqual({ moves: true, width: 792 });
    expect(await shown('no-preference', 400)).toEqual({ moves: true, width: 404 });
    expect(await shown('reduce', 1_200)).toEqual({ moves: false, width: 792 });
    expect(await shown('reduce', 400)).toEqual({ moves: false, width: 404 });
    await browser.closePages();
  });

  it.each(AUDITED)(
    '%s has at least 95 in the categories of Lighthouse that no clock decides, and is light',
    async (at) => {
      const { load } = await browser.lighthouse();
      const report = await load(new URL(at, site.url).href);
      expect({ ...report, isGood: isGood(report), isLight: isLight(report) }).toMatchObject({
        isGood: true,
        isLight: true,
      });
    },
    LIGHTHOUSE_WITHIN_MS,
  );

  describe('without JavaScript', () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await browser.newPage({ javaScriptEnabled: false }));
    });
    afterAll(() => browser.closePages());

    it.each(Object.entries(PAGES))('%s can be read', async (at, shown) => {
      await openPage(page, new URL(at, site.url).href, shown);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    });

    it.each(['/', '/costs.html', '/reference/batchlatch/operations/'])(
      '%s says where it is edited, when it was changed, and of which version it is',
      async (at) => {
        await page.goto(new URL(at, site.url).href);
        const foot = page.getByRole('list', { name: 'About this page' });
        const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
        const text = await foot.innerText();
        expect(text).toMatch(/Edit this page/);
        expect(text).toMatch(/Last changed 20\d\d-\d\d-\d\d/);
        expect(text).toContain(`batchlatch ${version}`);
      },
    );

    it('the home page leads to every page', async () => {
      await openPage(page, site.url, PAGES['/']);
      const menu = page.getByRole('navigation', { name: 'All pages' });
      expect(await menu.getByRole('link').count()).toBeGreaterThan(60);
    });

    it('tabs can be chosen', async () => {
      await openPage(page, `${site.url}/quick-start.html`, PAGES['/quick-start.html']);
      const tab = page.getByRole('radio', { name: 'CDK' });
      await tab.focus();
      await page.keyboard.press('Space');
      await page.locator('.tab', { hasText: 'new BatchQueue(' }).waitFor();
    });

    it('the live pages have a picture of a run, and a table of examples', async () => {
      await openPage(page, `${site.url}/simulation.html`, PAGES['/simulation.html']);
      expect(await page.getByRole('img', { name: /One run/ }).isVisible()).toBe(true);
      await openPage(page, `${site.url}/costs-calculator.html`, PAGES['/costs-calculator.html']);
      expect(await page.getByRole('table').count()).toBe(1);
    });
  });
});

function isGood({ scores }: LoadReport): boolean {
  return Object.values(scores).every((score) => score >= 95);
}

/** What makes a page fast on a phone, and can be counted. Its score for performance depends on the machine. */
function isLight({ requests, kilobytes, layoutShift }: LoadReport): boolean {
  return requests <= 20 && kilobytes <= 200 && layoutShift < 0.01;
}

function isDead(target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const found = path.join(DIST, file);
  if (!existsSync(found)) return true;
  return anchor !== undefined && !anchors(readFileSync(found, 'utf8')).includes(anchor);
}
