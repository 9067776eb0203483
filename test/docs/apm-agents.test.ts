import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const PINS = 'scripts/pins/npm';
const SUITE = 'lab/surroundings';

it('docs/apm-agents.md has a row for each agent, with the version and the settings that are tested', () => {
  // The first table of the page; another says how agents show spans of ours.
  const [table = ''] = /^\|.*\n\|[-|]+\n(?:\|.*\n)+/m.exec(PAGES.get('docs/apm-agents.md') ?? '') ?? [];
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const names = readdirSync(PINS).flatMap((folder) => /^agent-(.+)/.exec(folder)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(6);
  expect(rows).toHaveLength(names.length);
  for (const name of names) {
    const { dependencies } = JSON.parse(readFileSync(`${PINS}/agent-${name}/package.json`, 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const [[module, version] = ['', '']] = Object.entries(dependencies);
    const test = readFileSync(`${SUITE}/${name}.test.ts`, 'utf8');
    const [, node] = /\bnode: (\d+)/.exec(test) ?? [];
    const row = rows.find((text) => text.startsWith(`| \`${module}\` `)) ?? '';
    expect(row).toContain(`| ${version}${node === undefined ? '' : `, Node ${node}`} |`);
    const options = test.match(/--(?:require|import|experimental-loader) [\w@/.-]+/g) ?? [];
    expect(options.filter((option) => !row.includes(option))).toEqual([]);
  }
});
