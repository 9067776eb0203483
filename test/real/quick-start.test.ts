import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PAGES } from '../docs/pages.ts';
import { type PageStep, pageSteps } from '../docs/page-steps.ts';
import { packLibrary } from '../package/packed-library.ts';
import { codeBlocks } from '../docs/markdown.ts';
import { readerOfPage, type ReaderOfPage } from './support/reader-of-page.ts';

const page = PAGES.get('docs/quick-start.md') ?? '';
const steps = pageSteps(page);
const WITHIN_MS = 300_000;

/** With the packages that the page names, from npm, and the library as it would be published. */
describe('The quick start, from an empty folder', () => {
  let temporary: string;
  let reader: ReaderOfPage;
  beforeAll(async () => {
    temporary = await mkdtemp(path.join(tmpdir(), 'batchlatch-quick-start-'));
    const folder = path.join(temporary, 'orders');
    await mkdir(folder);
    reader = readerOfPage({
      folder,
      stays: 'npx batchlatch dev',
      ready: /^export AWS_REGION.*$/m,
      replaced: { 'npm install batchlatch': `npm install ${await packLibrary(temporary)}` },
    });
  }, WITHIN_MS);
  afterAll(async () => {
    await reader.interrupt();
    await rm(temporary, { recursive: true });
  }, WITHIN_MS);

  it.each(steps.map((step) => [nameOf(step), step] as const))(
    '%s',
    async (_name, step) => reader.follow(step),
    WITHIN_MS,
  );

  it(
    'Ctrl-C ends what still runs',
    async () => {
      const queue = reader.told('AWS_ENDPOINT_URL_SQS');
      expect((await fetch(queue)).status).toBeGreaterThan(0);
      await reader.interrupt();
      await expect(fetch(queue)).rejects.toThrow('fetch failed');
    },
    WITHIN_MS,
  );
});

describe('The page', () => {
  it('has the template of README', async () => {
    const template = codeBlocks(await readFile('README.md', 'utf8')).find(
      ({ language }) => language === 'yaml',
    );
    expect(steps).toContainEqual({ does: 'writes', file: 'template.yaml', text: `${template?.code}\n` });
  });

  it('installs the library, tests, runs and bundles the handler, and shows what comes of it', () => {
    const commands = steps.flatMap((step) => (step.does === 'runs' ? [step.command] : []));
    expect(commands).toEqual(
      expect.arrayContaining([
        'npm install batchlatch',
        expect.stringContaining('--test'),
        'npx batchlatch dev',
        expect.stringContaining('npx esbuild orders.ts --bundle'),
      ]),
    );
    expect(steps.filter(({ does }) => does === 'sees')).toHaveLength(1);
  });
});

function nameOf(step: PageStep): string {
  switch (step.does) {
    case 'writes':
      return `write ${step.file}`;
    case 'runs':
      return step.command;
    case 'sees':
      return `see ${step.printed.length} lines more`;
  }
}
