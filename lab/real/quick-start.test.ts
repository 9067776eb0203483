import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PAGES } from '../../test/docs/pages.ts';
import { type PageStep, pageSteps } from '../../test/docs/page-steps.ts';
import { codeBlocks } from '../../test/docs/markdown.ts';
import { nodeBinary, oldestNode } from '../../test/support/components/node.ts';
import { packedPackage } from '../../scripts/release/packed-package.ts';
import { readerOfPage, type ReaderOfPage } from './support/reader-of-page.ts';

const page = PAGES.get('docs/quick-start.md') ?? '';
const steps = pageSteps(page);
const WITHIN_MS = 300_000;

/**
 * With the packages that the page names, from npm, the library as it would be published, and the oldest Node that is
 * supported. The names of resources begin with the folder's, as far as CloudFormation allows its characters.
 */
describe.each([
  ['orders', 'orders'],
  ["Zoë's 2nd shop!", 'Zo-s-2nd-shop'],
])('The quick start, from an empty folder named %s', (folderName, stackName) => {
  let temporary: string;
  let reader: ReaderOfPage;
  beforeAll(async () => {
    temporary = await mkdtemp(path.join(tmpdir(), 'batchlatch-quick-start-'));
    const folder = path.join(temporary, folderName);
    await mkdir(folder);
    const library = await packedPackage('batchlatch');
    const commandLine = await packedPackage('batchlatch-cli');
    reader = readerOfPage({
      folder,
      node: await nodeBinary(oldestNode),
      stays: 'npx batchlatch dev',
      ready: /^export CLAIMS_TABLE_NAME.*$/m,
      replaced: {
        'npm install batchlatch': `npm install ${library}`,
        'npm install --save-dev batchlatch-cli esbuild tsx': `npm install --save-dev ${commandLine} esbuild tsx`,
      },
      printedAs: (line) => line.replaceAll(/\borders-(?=Claims|Orders)/g, `${stackName}-`),
    });
  }, WITHIN_MS);
  afterAll(async () => {
    await reader?.interrupt();
    await rm(temporary, { recursive: true });
  }, WITHIN_MS);

  it.each(steps.map((step) => [nameOf(step), step] as const))(
    '%s',
    async (_name, step) => reader.follow(step),
    WITHIN_MS,
  );

  it('runs on the oldest Node that is supported', async () => {
    await reader.follow({ does: 'runs', command: 'node --version', printed: ['v20.19.0'] });
  });

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
