import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const page = PAGES.get('docs/exactly-once.md') ?? '';

it.each(readdirSync('examples/transactions'))('docs/exactly-once.md leads to %s', (file) => {
  expect(page).toContain(`(../examples/transactions/${file})`);
});
