import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PAGES } from './pages.ts';

const page = PAGES.get('docs/stores.md') ?? '';
const [, table = ''] = page.split('<!-- each cell has its test -->');
const rows = (table.split('<!-- end of the comparison -->')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| **') && !line.startsWith('| |'))
  .map((line) => line.split('|').slice(1, -1));

describe('The comparison of docs/stores.md', () => {
  it('has a row for guarantees, cost, latency and failures, and a column for each store but memory', () => {
    expect(rows.length).toBeGreaterThan(12);
    expect(rows.filter((cells) => cells.length !== 4)).toEqual([]);
    expect(table).toMatch(
      /\*\*Guarantees\*\*[^]*\*\*Cost\*\*[^]*\*\*Latency\*\*[^]*\*\*When something fails\*\*/,
    );
  });

  it('has a test for each cell, by its file and its name', () => {
    const wrong = rows.flatMap(([what = '', ...cells]) =>
      cells.flatMap((cell, index) => {
        const tests = testsIn(cell);
        if (tests.length === 0) return [`${what.trim()}, column ${index + 1}: no test`];
        return tests.filter((test) => !isThere(test)).map(({ file, name }) => `${file}: no test "${name}"`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('would notice a test that is gone', () => {
    const file = 'test/stores/memory-store.test.ts';
    expect(isThere({ file, name: 'lets go of rows that are forgotten, and of no others' })).toBe(true);
    expect(isThere({ file, name: 'gives the key to exactly one of 20 racing claims' })).toBe(true);
    expect(isThere({ file, name: 'is said nowhere' })).toBe(false);
    expect(isThere({ file: 'test/stores/gone.test.ts', name: '' })).toBe(false);
    expect(testsIn('| no link |')).toEqual([]);
  });
});

interface Test {
  readonly file: string;
  readonly name: string;
}

function testsIn(cell: string): Test[] {
  return [
    ...cell.matchAll(/\]\(\.\.\/((?:packages\/cli\/)?(?:test|lab)\/[^\s)]+\.test\.ts) "([^"]+)"\)/g),
  ].map(([, file = '', name = '']) => ({ file, name }));
}

const CONTRACT = 'src/testing/contract';
const contract = readdirSync(CONTRACT)
  .map((file) => readFileSync(path.join(CONTRACT, file), 'utf8'))
  .join('\n');

/** In the file, or in the contract that it runs. */
function isThere({ file, name }: Test): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  return text.includes(name) || (text.includes('describeClaimStore(') && contract.includes(`'${name}'`));
}
