import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { OVERDUE_SHARD } from '../../src/stores/dynamodb/overdue-index.ts';
import { defaultAttributeNames } from '../../src/stores/dynamodb/row.ts';

describe('docs/stores/dynamodb.md', () => {
  it('names every attribute of a row', () => {
    const page = readFileSync(new URL('../../docs/stores/dynamodb.md', import.meta.url), 'utf8');
    const section = page.split('\n## The row\n')[1]?.split('\n## ')[0] ?? '';
    const named = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(named).toEqual([...Object.values(defaultAttributeNames), OVERDUE_SHARD]);
  });
});
