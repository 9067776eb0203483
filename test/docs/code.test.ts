import { beforeAll, describe, expect, it } from '@jest/globals';
import { compile } from './compile.ts';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';
import { parseTemplate } from '../sam/read-template.ts';
import { examplesIn, examplesOfSources } from './tsdoc-examples.ts';

/**
 * The TypeScript of the pages, each page a folder: `docs/options.md/7.ts` begins in line 7, and what a page calls
 * `orders.ts` is that file, for the others to import. What is shown of a file is compiled where that is.
 */
const blocks = [...PAGES].flatMap(([page, text]) =>
  codeBlocks(text)
    .filter(({ language }) => language === 'ts')
    .filter(({ file, part, name }) => (file === undefined && part === undefined) || name !== undefined)
    .map(({ name, line, code }) => ({ name: `${page}/${name ?? `${line}.ts`}`, code })),
);

/** Those of the comments of `src`. */
const examples = examplesOfSources();

/** Code with a mistake that has to be seen. */
const WRONG = {
  'a-name-that-is-not-exported': ["import { sqss } from 'batchlatch';", "no exported member named 'sqss'"],
  'a-name-that-nobody-has': ['createBatchProcesor(handler);', "Cannot find name 'createBatchProcesor'"],
  'an-option-that-is-not-there': ['createBatchProcessor(handler, { waits: 1 });', "'waits' does not exist"],
  'a-policy-of-another-option': [
    'createBatchProcessor(handler, { visibility: heartbeat() });',
    `'HeartbeatPolicy' but required in type 'VisibilityPolicy'`,
  ],
} as const;

const FRAGMENT = 'createBatchProcessor(handler, { visibility: backoff() });';

/** What is found in all of it, the pages' code and the checks of the check: the compiler is started once. */
let found: readonly string[];
beforeAll(async () => {
  found = await compile({
    ...Object.fromEntries([...blocks, ...examples].map(({ name, code }) => [name, code])),
    ...Object.fromEntries(
      Object.entries(WRONG).map(([what, [code]]) => [`docs/wrong/${what}.ts`, `\n${code}`]),
    ),
    'docs/fragments/a.ts': FRAGMENT,
    'docs/fragments/b.ts': `import { sqs } from 'batchlatch';\nsqs();\n${FRAGMENT}`,
  });
});

const foundIn = (folder: string): string[] => found.filter((error) => error.startsWith(folder));

describe('The code of README and docs', () => {
  it('compiles', () => {
    expect(blocks.length).toBeGreaterThan(80);
    expect(found.filter((error) => !/^(?:src|docs\/(?:wrong|fragments))\//.test(error))).toEqual([]);
  });

  it('is in blocks that say their language', () => {
    const silent = [...PAGES].flatMap(([page, text]) =>
      codeBlocks(text)
        .filter(({ language, code }) => language === '' && /\bimport .* from '|=> [{(]/.test(code))
        .map(({ line }) => `${page}:${line}`),
    );
    expect(silent).toEqual([]);
  });
});

describe('The YAML and JSON of README and docs', () => {
  it.each([
    ['yaml', (code: string) => parseTemplate(code)],
    ['json', (code: string) => documentsOf(code).map((text): unknown => JSON.parse(text))],
  ])('%s is read without an error', (wanted, read) => {
    const found = [...PAGES].flatMap(([page, text]) =>
      codeBlocks(text)
        .filter(({ language }) => language === wanted)
        .map(({ line, code }) => ({ at: `${page}:${line}`, code })),
    );
    expect(found.length).toBeGreaterThan(4);
    expect(found.flatMap(({ at, code }) => (isRead(() => read(code)) ? [] : [at]))).toEqual([]);
    expect(isRead(() => read('{ "a": '))).toBe(false);
  });
});

describe('The examples in the comments of src', () => {
  it('compile', () => {
    expect(examples.length).toBeGreaterThan(40);
    expect(foundIn('src/')).toEqual([]);
  });

  it('end where the comment or the next tag does', () => {
    const comment = ['/**', ' * Runs.', ' *', ' * @example', ' * run();', ' *', ' * stop();', ' */'].join(
      '\n',
    );
    expect(examplesIn(comment)).toEqual([{ line: 5, code: 'run();\n\nstop();' }]);
    expect(examplesIn(comment.replace('stop();', '@throws Never.'))).toEqual([{ line: 5, code: 'run();\n' }]);
  });
});

describe('The check of code', () => {
  it.each(Object.entries(WRONG))('sees %s, and in which line', (what, [, message]) => {
    expect(foundIn(`docs/wrong/${what}.ts`)).toEqual([
      expect.stringMatching(`docs/wrong/${what}.ts:2: [^]*${message}`),
    ]);
  });

  it('gives a fragment what it uses of the package, and leaves the imports of others alone', () => {
    expect(foundIn('docs/fragments/')).toEqual([
      "docs/fragments/b.ts:3: Cannot find name 'createBatchProcessor'.",
      "docs/fragments/b.ts:3: Cannot find name 'backoff'.",
    ]);
  });
});

function isRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** A file of JSON lines has one in each. */
function documentsOf(code: string): string[] {
  return code.split('\n').every((line) => /^\{.*\}$/.test(line)) ? code.split('\n') : [code];
}
