// Lighthouse in a process of its own, because it does not load under jest. Its parent sends the addresses of pages that the
// browser shows, and gets the report of each. It ends with its parent.
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [modules, port] = process.argv.slice(2);
const { navigation, snapshot } = await load('lighthouse/core/index.js');
const { connect } = await load('puppeteer-core/lib/esm/puppeteer/puppeteer-core.js');
const driver = await connect({ browserURL: `http://127.0.0.1:${port}`, defaultViewport: null });

process.on('disconnect', () => process.exit());
process.on('message', async ({ url, loads }) => {
  try {
    process.send(loads ? await visit(url) : await report(url));
  } catch (error) {
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.send('ready');

/** Of the page as it is now: nothing is loaded, so its theme and an open dialog count. */
async function report(url) {
  const page = (await driver.pages()).find((page) => page.url() === url);
  if (page === undefined) throw new Error(`The browser shows no page with the address ${url}`);
  const flags = {
    onlyCategories: ['accessibility'],
    formFactor: 'desktop',
    screenEmulation: { disabled: true },
    logLevel: 'silent',
  };
  const { lhr } = await snapshot(page, { flags });
  const { score } = lhr.categories.accessibility;
  if (score === null) throw new Error(`Lighthouse gave no score: ${lhr.runtimeError?.message}`);
  const failed = Object.values(lhr.audits).filter((audit) => audit.score !== null && audit.score < 1);
  return { score: Math.round(score * 100), failed: failed.map(described) };
}

/** Of the page as a phone loads it for the first time: all that is the same on every machine, so no time. */
async function visit(url) {
  const page = await driver.newPage();
  try {
    const flags = {
      onlyCategories: ['accessibility', 'best-practices', 'seo'],
      onlyAudits: ['cumulative-layout-shift', 'network-requests'],
      logLevel: 'silent',
      disableFullPageScreenshot: true,
    };
    const { lhr } = await navigation(page, url, { flags });
    return loadReport(lhr);
  } finally {
    await page.close();
  }
}

function loadReport({ categories, audits, runtimeError }) {
  if (runtimeError !== undefined) throw new Error(runtimeError.message);
  const requests = audits['network-requests'].details.items;
  const scores = Object.values(categories).map(({ id, score }) => [id, Math.round(score * 100)]);
  const failed = Object.values(categories)
    .flatMap(({ auditRefs }) => auditRefs)
    .filter(({ weight, id }) => weight > 0 && (audits[id].score ?? 1) < 0.9)
    .map(({ id }) => `${described(audits[id])} ${audits[id].displayValue ?? ''}`.trim());
  return {
    scores: Object.fromEntries(scores),
    failed,
    requests: requests.length,
    kilobytes: Math.ceil(requests.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1_000),
    layoutShift: audits['cumulative-layout-shift'].numericValue,
  };
}

function described({ title, details }) {
  const places = (details?.items ?? []).map(({ node }) => node?.snippet ?? '');
  return [title, ...places].join('\n  ');
}

function load(file) {
  return import(pathToFileURL(join(modules, file)).href);
}
