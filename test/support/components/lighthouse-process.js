// Lighthouse in a process of its own, because it does not load under jest. Its parent sends the addresses of pages that the
// browser shows, and gets the report of each. It ends with its parent.
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [modules, port] = process.argv.slice(2);
const { snapshot } = await load('lighthouse/core/index.js');
const { connect } = await load('puppeteer-core/lib/esm/puppeteer/puppeteer-core.js');
const driver = await connect({ browserURL: `http://127.0.0.1:${port}`, defaultViewport: null });

process.on('disconnect', () => process.exit());
process.on('message', async ({ url }) => {
  try {
    process.send(await report(url));
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

function described({ title, details }) {
  const places = (details?.items ?? []).map(({ node }) => node?.snippet ?? '');
  return [title, ...places].join('\n  ');
}

function load(file) {
  return import(pathToFileURL(join(modules, file)).href);
}
