import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { codeBlocks } from '../markdown.ts';
import { PAGES } from '../pages.ts';

const FOLDER = 'docs/how-to';
const names = readdirSync(FOLDER).filter((file) => file !== 'README.md');
const tests = readdirSync(import.meta.dirname)
  .map((file) => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
  .join('\n');

describe('docs/how-to', () => {
  it('lists every page', () => {
    const list = PAGES.get(`${FOLDER}/README.md`) ?? '';
    expect(names.length).toBeGreaterThan(12);
    expect(names.filter((name) => !list.includes(`](${name})`))).toEqual([]);
  });

  it.each(names)('%s has at most 350 words of prose, and code that a test loads', (name) => {
    const page = PAGES.get(`${FOLDER}/${name}`) ?? '';
    const prose = page
      .replaceAll(/^```[^]*?^```$/gm, '')
      .split(/\s+/)
      .filter((word) => /\w/.test(word));
    expect(prose.length).toBeGreaterThanOrEqual(120);
    expect(prose.length).toBeLessThanOrEqual(350);
    const files = codeBlocks(page).flatMap(({ name: file }) => file ?? []);
    expect(files.length).toBeGreaterThan(0);
    expect(files.some((file) => tests.includes(`'${file}'`))).toBe(true);
  });
});
