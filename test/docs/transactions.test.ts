import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

const page = PAGES.get('docs/exactly-once.md') ?? '';

it.each(readdirSync('examples/transactions'))('docs/exactly-once.md leads to %s', (file) => {
  expect(page).toContain(`(../examples/transactions/${file})`);
});

it('docs/exactly-once.md shows the adapter of Kysely as it is tested', () => {
  const blocks = codeBlocks(page).map(({ code }) => code);
  expect(blocks).toContain(readFileSync('examples/transactions/kysely.ts', 'utf8').trimEnd());
});
