import { expect, it } from '@jest/globals';
import type { Claim } from 'batchlatch';
import { readMessage } from '../../src/operations/dead-letters/dead-letter-message.ts';
import { planOf } from '../../src/operations/dead-letters/redrive-plan.ts';

function claim(key: string, status: Claim['status']): Claim {
  const counts = { attempt: 1, releases: 0, crashes: 0 };
  return { key, status, owner: key, ...counts, leaseUntil: 1, createdAt: 1, updatedAt: 1 };
}

function planFor(...claims: readonly Claim[]) {
  const read = readMessage({ MessageId: 'm-1', Body: '{}' });
  return planOf({ ...read, message: { ...read.message, claims }, isProven: true }, 'delete', 2);
}

it('deletes a message whose work is done', () => {
  expect(planFor(claim('a', 'COMPLETED'))).toEqual({ do: 'delete' });
});

it('moves a message whose work is done by one consumer, and waits for a person for another', () => {
  const parked = claim('b', 'PARKED');
  expect(planFor(claim('a', 'COMPLETED'), parked)).toEqual({ do: 'move', release: [parked] });
});
