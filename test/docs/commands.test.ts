import { describe, expect, it } from '@jest/globals';
import { newProgram, wrongIn } from './command-lines.ts';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

const lines = [...PAGES].flatMap(([page, text]) =>
  codeBlocks(text).flatMap(({ line, code }) =>
    code
      .split('\n')
      .map((words, index) => ({ at: `${page}:${line + index}`, words: words.replace(/^\$ /, '') }))
      .filter(({ words }) => words.startsWith('npx batchlatch ')),
  ),
);

describe('The commands that the pages show', () => {
  it('are there, with the options and the choices that are given to them', () => {
    expect(lines.length).toBeGreaterThan(60);
    expect(
      lines.flatMap(({ at, words }) => wrongIn(newProgram(), words).map((what) => `${at}: ${what}`)),
    ).toEqual([]);
  });

  it.each([
    ['npx batchlatch claims lst --table claims', ['no command claims lst']],
    ['npx batchlatch claims list --tabel claims', ['claims list has no --tabel']],
    ['npx batchlatch claims list --state lost', [expect.stringContaining("'lost' is invalid")]],
    ['npx batchlatch claims release "a b" --table claims --reason "it works" # at last', []],
  ])('are read as a shell reads them: %s', (words, wrong) => {
    expect(wrongIn(newProgram(), words)).toEqual(wrong);
  });
});
