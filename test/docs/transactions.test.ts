import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

const blocks = codeBlocks(PAGES.get('docs/exactly-once.md') ?? '').map(({ code }) => code);

it.each(readdirSync('examples/transactions'))('docs/exactly-once.md shows %s as it is tested', (file) => {
  expect(blocks).toContain(readFileSync(`examples/transactions/${file}`, 'utf8').trimEnd());
});
