import { describe, expect, it } from '@jest/globals';
import { compile } from './compile.ts';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

/** The TypeScript of the pages, by the place where it stands: `docs/options.md.7.ts` begins in line 7. */
const blocks = [...PAGES].flatMap(([page, text]) =>
  codeBlocks(text)
    .filter(({ language }) => language === 'ts')
    .map((block) => ({ name: `${page}.${block.line}.ts`, ...block })),
);

describe('The code of README and docs', () => {
  it('compiles', () => {
    const compiled = blocks.filter(({ whyNotCompiled }) => whyNotCompiled === undefined);
    expect(compiled.length).toBeGreaterThan(20);
    expect(compile(Object.fromEntries(compiled.map(({ name, code }) => [name, code])))).toEqual([]);
  }, 60_000);

  it('is in blocks that say their language', () => {
    const silent = [...PAGES].flatMap(([page, text]) =>
      codeBlocks(text)
        .filter(({ language, code }) => language === '' && /\bimport .* from '|=> [{(]/.test(code))
        .map(({ line }) => `${page}:${line}`),
    );
    expect(silent).toEqual([]);
  });
});

describe('The check of code', () => {
  const WRONG = {
    'a name that is not exported': ["import { sqss } from 'batchlatch';", "no exported member named 'sqss'"],
    'a name that nobody has': ['createBatchProcesor(handler);', "Cannot find name 'createBatchProcesor'"],
    'an option that is not there': ['createBatchProcessor(handler, { waits: 1 });', "'waits' does not exist"],
    'a policy of another option': [
      'createBatchProcessor(handler, { visibility: heartbeat() });',
      `'Policy<"heartbeat">' is not assignable`,
    ],
  } as const;

  it('sees what is wrong, and in which line', () => {
    const sources = Object.entries(WRONG).map(([what, [code]]) => [`docs/${what}.ts`, `\n${code}`]);
    expect(compile(Object.fromEntries(sources))).toEqual(
      Object.entries(WRONG).map(([what, [, message]]) =>
        expect.stringMatching(`docs/${what}.ts:2: [^]*${message}`),
      ),
    );
  }, 60_000);

  it('gives a fragment what it uses of the package, and leaves the imports of others alone', () => {
    const fragment = 'createBatchProcessor(handler, { visibility: backoff() });';
    const sources = {
      'docs/a.ts': fragment,
      'docs/b.ts': `import { sqs } from 'batchlatch';\nsqs();\n${fragment}`,
    };
    expect(compile(sources)).toEqual([
      "docs/b.ts:3: Cannot find name 'createBatchProcessor'.",
      "docs/b.ts:3: Cannot find name 'backoff'.",
    ]);
  }, 60_000);
});
