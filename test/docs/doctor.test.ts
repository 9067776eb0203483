import { expect, it } from '@jest/globals';
import { RULES } from '../../packages/cli/src/doctor/index.ts';
import { PAGES } from './pages.ts';
import { anchors } from './markdown.ts';

const page = PAGES.get('docs/doctor.md') ?? '';

it('docs/doctor.md has every finding of doctor, in its words and its order', () => {
  const [, table = ''] = page.split('## All findings');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    Object.entries(RULES).map(
      ([code, { severity, isOptional, what, why }]) =>
        `| \`${code}\` | ${severity}${isOptional === true ? ' (`--all`)' : ''} | ${what} | ${why} |`,
    ),
  );
});

it('the pages that findings of doctor lead to are there, with these headings', () => {
  const dead = Object.entries(RULES).flatMap(([code, { docs }]) => {
    if (docs === undefined) return [];
    const [file = '', anchor] = docs.split('#');
    const page = PAGES.get(`docs/${file}`);
    const isThere = page !== undefined && (anchor === undefined || anchors(page).includes(anchor));
    return isThere ? [] : [`${code}: ${docs}`];
  });
  expect(dead).toEqual([]);
});
