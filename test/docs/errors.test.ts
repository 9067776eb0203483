import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { codesIn, codesInSources, documentedCodes, sectionOf } from './error-page.ts';

// Beside a bundle there is no SDK: BATCHLATCH_SDK_NOT_FOUND.
jest.unstable_mockModule('../../src/aws/sdk/load-package.ts', () => ({
  loadPackage: () => Promise.reject(new Error('Cannot find package')),
  withoutVersionWarning: (make: () => unknown) => make(),
}));
const { EXAMPLES } = await import('./error-examples.ts');

const PAGE = 'docs/errors.md';
const page = readFileSync(PAGE, 'utf8');
const codes = documentedCodes();
const examples = new Map<string, string>();
for (const { code } of codes) examples.set(code, await exampleOf(code));

/** The text before the first code is written by hand. */
const expected = [
  page.slice(0, page.indexOf('## BATCHLATCH_')),
  codes.map((one) => sectionOf(one, examples.get(one.code) ?? '')).join('\n'),
].join('');
if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, expected);

describe('The page of errors', () => {
  it('is what the doc comments say (UPDATE_DOCS=1 writes it)', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(expected);
  });

  it('has each code of the sources once', () => {
    expect(codes.map(({ code }) => code)).toEqual(codesInSources());
  });

  it('says of each code what happened and what to do', () => {
    expect(codes.filter(({ happened, remedy }) => happened.length < 20 || remedy.length < 10)).toEqual([]);
  });

  it('shows a message of each code, from an error that was made to happen', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(codes.map(({ code }) => code));
    expect([...examples].filter(([, text]) => text === '')).toEqual([]);
  });
});

describe('A doc comment explains a code', () => {
  const comment = '/**\n * The lease\n * ended. Code: `BATCHLATCH_X`.\n *\n * @remarks Extend\n * it.\n */';

  it('with a summary that ends with the code, and @remarks', () => {
    expect(codesIn(comment, 'a.ts')).toEqual([
      { code: 'BATCHLATCH_X', place: 'a.ts:1', happened: 'The lease ended.', remedy: 'Extend it.' },
    ]);
  });

  it('and does not without either of them', () => {
    expect(codesIn(comment.replace('@remarks', ''), 'a.ts')).toEqual([]);
    expect(codesIn(comment.replace('Code: ', ''), 'a.ts')).toEqual([]);
  });
});

/** Returns the name and message of the error that the example makes, or an empty text if it has another code. */
async function exampleOf(code: string): Promise<string> {
  const {
    name = '',
    message = '',
    code: own,
  } = ((await EXAMPLES[code]?.()) ?? {}) as Partial<Error & { code: string }>;
  return own === code && message !== '' ? `${name === '' ? '' : `${name}: `}${message}` : '';
}
