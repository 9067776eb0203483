import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const LIMIT = 60_000;

const pages = new Map(
  [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...[...PAGES.keys()].filter((page) => /^docs\/(?!decisions\/)/.test(page)),
    ...readdirSync('packages')
      .map((name) => path.join('packages', name, 'README.md'))
      .filter((page) => existsSync(page)),
  ].map((page) => [page, wordsOf(readFileSync(page, 'utf8'))]),
);

describe('The documentation', () => {
  it(`has fewer than ${LIMIT.toLocaleString('en')} words outside of code, so that people can read it`, () => {
    expect(pages.size).toBeGreaterThan(80);
    expect(tooLong(pages, LIMIT)).toBe('');
  });

  it('is reported with its ten longest pages when it is too long', () => {
    const [first = '', ...others] = tooLong(pages, 1).split('\n');
    expect(first).toMatch(/^\d+ words, 1 or more: shorten or merge pages, such as$/);
    const counts = others.map((line) => Number(/^ +(\d+) /.exec(line)?.[1]));
    expect(counts).toHaveLength(10);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  });
});

describe('The words of a page', () => {
  it('are counted without blocks of code and without the rules of tables', () => {
    expect(wordsOf('# A title\n\n```ts\nconst a = 1;\n```\n\n| a | b-c |\n|---|:--:|\n| one two | |\n')).toBe(
      7,
    );
  });
});

/** What to tell if the pages have `limit` words or more; else nothing. */
function tooLong(words: ReadonlyMap<string, number>, limit: number): string {
  const total = [...words.values()].reduce((sum, count) => sum + count, 0);
  if (total < limit) return '';
  const longest = [...words].toSorted(([, a], [, b]) => b - a).slice(0, 10);
  const lines = longest.map(([page, count]) => `${String(count).padStart(7)} ${page}`);
  return [`${total} words, ${limit} or more: shorten or merge pages, such as`, ...lines].join('\n');
}

/** The words outside of blocks of code; tokens that only draw tables are none. */
function wordsOf(page: string): number {
  const tokens = page.replaceAll(/```.*?```/gs, '').split(/\s+/);
  return tokens.filter((token) => token !== '' && !/^[|\-:=]+$/.test(token)).length;
}
