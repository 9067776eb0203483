import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

it('docs/testing.md says of each test on real components what it shows', () => {
  const page = PAGES.get('docs/testing.md') ?? '';
  const files = readdirSync('lab/real').filter((file) => file.endsWith('.test.ts'));
  expect(files.length).toBeGreaterThan(40);
  const names = files.map((file) => path.basename(file, '.test.ts'));
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
