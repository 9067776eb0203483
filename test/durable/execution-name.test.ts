import { describe, expect, it } from '@jest/globals';
import { assert, property, string } from 'fast-check';
import { executionNameOf, isExecutionName } from '../../src/durable/execution.ts';

describe('The name of an execution', () => {
  it('is one that Lambda takes, whatever the key', () => {
    const key = string({ unit: 'binary', maxLength: 200 });
    assert(
      property(key, key, (one, other) => {
        const name = executionNameOf(one, 'f');
        expect(isExecutionName(name)).toBe(true);
        expect(executionNameOf(one, 'f')).toBe(name);
        expect(executionNameOf(other, 'f') === name).toBe(one === other);
      }),
    );
  });

  it('shows the namespace, and nothing of the key', () => {
    expect(executionNameOf('orders#v1:ann@example.com', 'f')).toMatch(/^orders-[\w-]{43}$/);
    expect(executionNameOf('a namespace/of many words#v1:1', 'f')).toMatch(
      /^a-namespace-of-many--[\w-]{43}$/,
    );
    expect(executionNameOf('orders#t1:OrderPlaced:o-1', 'f')).toMatch(/^orders-[\w-]{43}$/);
    expect(executionNameOf('#v1:1', 'f')).toMatch(/^[\w-]{43}$/);
  });

  it.each(['ann@example.com', 'ann@example.com#2026-01-01', 'fulfil#5RGD0yQ0eYv3oUq1N2aGlg=='])(
    'shows nothing of a whole key, which has no namespace: %s',
    (key) => {
      expect(executionNameOf(key, 'f')).toMatch(/^[\w-]{43}$/);
    },
  );

  it('differs between two functions that the same key starts', () => {
    expect(executionNameOf('orders#v1:1', 'f')).not.toBe(executionNameOf('orders#v1:1', 'g'));
  });

  it('stays the same in the next version', () => {
    expect(executionNameOf('orders#v1:o-1', 'fulfil-order')).toBe(
      'orders-kvPrpoJNTyo2m4GzXW5Z_bGwN1ijI03j7gUc1RRrhII',
    );
  });
});
