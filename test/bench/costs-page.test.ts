import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { costsBlocks, withBlocks } from '../../lab/bench/report/costs-page.ts';
import { NOTHING } from './no-figures.ts';

const page = `# Costs

<!-- measured: one -->

old

<!-- end of one -->

Between.

<!-- measured: two -->
<!-- end of two -->
`;

describe('the measured parts of a page', () => {
  test('are put in the places that are marked for them, and nothing else changes', () => {
    const once = withBlocks(page, { one: 'new', two: '| a |' });
    expect(once).toBe(
      page.replace('old', 'new').replace('two -->\n<!-- end', 'two -->\n\n| a |\n\n<!-- end'),
    );
    expect(withBlocks(once, { one: 'new', two: '| a |' })).toBe(once);
  });

  test('need a place of their own', () => {
    expect(() => withBlocks(page, { three: '' })).toThrow('measured: three');
    expect(() => withBlocks(page + page, { one: '' })).toThrow('once');
  });

  test('all have their place in docs/costs.md', () => {
    const costs = readFileSync(new URL('../../docs/costs.md', import.meta.url), 'utf8');
    const blocks = costsBlocks(NOTHING);
    expect(() => withBlocks(costs, blocks)).not.toThrow();
    expect(costs.match(/<!-- measured: /g)).toHaveLength(Object.keys(blocks).length);
  });
});
