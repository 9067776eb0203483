import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Claim } from '../../../src/claims/claim.ts';
import { rowWriter } from '../../../src/stores/redis/row-writer.ts';
import { isAlike, ownValues, writeOf } from '../../../src/stores/redis/row.ts';

const time = fc.constantFrom(0, 1);
const text = fc.constantFrom('a', 'b');
const error = fc.constantFrom({ name: 'Error', message: 'a' }, { name: 'Error', message: 'b' });
const optional = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(values, { nil: undefined });

const fields = {
  status: fc.constantFrom('IN_PROGRESS', 'FAILED'),
  createdAt: time,
  updatedAt: time,
  leaseUntil: time,
  expiresAt: optional(time),
  crashes: fc.constantFrom(0, 1),
  started: optional(fc.boolean()),
  lockedBy: optional(text),
  owner: text,
  result: optional(text),
  error: optional(error),
};
const NAMES = Object.keys(fields) as (keyof typeof fields)[];
const claims = fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<Claim>>;

describe('rows that are alike', () => {
  it.each([true, false])('have the same write, where it is of the whole claim: %p', (isWhole) => {
    fc.assert(
      fc.property(claims, claims, fc.subarray(NAMES, { maxLength: 2 }), (one, another, changed) => {
        const other: Record<string, unknown> = { ...one };
        for (const name of changed) {
          delete other[name];
          if (name in another) other[name] = another[name];
        }
        fc.pre(isAlike(one, other));
        expect(writeOf(one, isWhole)).toEqual(writeOf(other, isWhole));
      }),
    );
  });

  it('differ in what each row has for itself', () => {
    const one = { status: 'FAILED', owner: 'a', error: { name: 'Error', message: 'a' } } as const;
    const other = { ...one, owner: 'b', error: { name: 'Error', message: 'b' } };
    expect(isAlike(one, other)).toBe(true);
    expect(ownValues(writeOf(one, false), other)).toEqual(['b', '{"name":"Error","message":"b"}']);
  });

  it.each([
    { status: 'PARKED' },
    { crashes: 1 },
    { result: '1' },
    { result: undefined },
    { lockedBy: undefined },
  ])('have no more and no less than %p', (more) => {
    const one: Partial<Claim> = { status: 'FAILED', owner: 'a' };
    const other = { ...one, ...more } as Partial<Claim>;
    expect([isAlike(one, other), isAlike(other, one)]).toEqual([false, false]);
  });

  it('do not share the template of a change with another condition', async () => {
    const templates: unknown[] = [];
    const { change } = rowWriter(async (_script, items) => {
      templates.push(...items.map(({ template }) => template));
      return items.map(() => ({ status: 'written' }));
    });
    const row = { owner: 'a', change: { leaseUntil: 1 } };
    await change([
      { ...row, key: '1', leaseUntilAtMost: 1 },
      { ...row, key: '2', leaseUntilAtMost: 1 },
      { ...row, key: '3', leaseUntilAtMost: 2 },
      { ...row, key: '4' },
    ]);
    const [first, second, third, fourth] = templates;
    expect(first).toBe(second);
    expect(new Set([first, third, fourth].map((template) => JSON.stringify(template))).size).toBe(3);
  });
});
