import { transform } from 'esbuild';
import { describe, expect, it } from '@jest/globals';
import { DEPLOYMENTS } from '../../packages/create/src/answers.ts';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

const page = PAGES.get('docs/quick-start.md') ?? '';
const blocks = codeBlocks(page);

describe('The tabs of docs/quick-start.md', () => {
  it('have one handler: the JavaScript is the TypeScript without its types', async () => {
    const [ts, js] = ['orders.ts', 'orders.js'].map(
      (file) => blocks.find(({ name }) => name === file)?.code ?? '',
    );
    expect(js).toContain('createBatchProcessor(');
    const plain = async (code = ''): Promise<string> =>
      (await transform(code, { loader: 'ts', minifyWhitespace: true })).code;
    expect(await plain(ts)).toBe(await plain(js));
    const comments = /\/\*\*.*|\/\/.*/g;
    expect(js?.match(comments)).toEqual(ts?.match(comments));
  });

  it('have a tested file for each way to deploy; for SAM it is the template that runs above', () => {
    const shown = blocks.flatMap(
      ({ file }) => /^packages\/create\/templates\/(\w+)\//.exec(file ?? '')?.[1] ?? [],
    );
    expect(['sam', ...shown].toSorted()).toEqual(Object.keys(DEPLOYMENTS).toSorted());
  });
});
