import { expect, it } from '@jest/globals';
import { operationsOf } from '../../console-app/src/changes/operations-of.ts';

it.each([
  ['resolve', 'lapsed'],
  ['release', 'failed'],
  ['release', 'attempts'],
  ['resolve', 'done'],
] as const)('offers %s first for a parked claim of the kind %s', (operation, parkedKind) => {
  expect(operationsOf({ state: 'parked', parkedKind })[0]).toBe(operation);
});

it('offers Release first for a failed claim, and Resolve first for an overdue one', () => {
  expect(operationsOf({ state: 'failed' })[0]).toBe('release');
  expect(operationsOf({ state: 'overdue' })[0]).toBe('resolve');
});

it('does not offer Release for a claim that was released and waits for its message', () => {
  const releasedAt = '2026-01-10T12:00:00.000Z';
  expect(operationsOf({ state: 'failed', releasedAt })).toEqual(['resolve', 'park', 'forget']);
});
