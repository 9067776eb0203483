import { describe, expect, it } from '@jest/globals';
import type { Claim, ClaimStatus, Settlement } from 'batchlatch';
import type { ClaimOperation, OperationKind } from 'batchlatch/operations';
import { countedAttempts } from '../../src/claims/claim.ts';
import { decideOperation } from '../../src/claims/changes.ts';
import {
  changeOfSettlement,
  decideAcquire,
  isAlreadySettled,
  isOwnedBy,
} from '../../src/claims/transitions.ts';
import { claimRequest } from '../support/claim-builders.ts';

const NOW = 1_000_000;
const KINDS: readonly OperationKind[] = ['release', 'resolve', 'park', 'forget'];
const ERROR = { name: 'Error', message: 'card declined' };

function claim(members: Partial<Claim> = {}): Claim {
  return {
    key: 'k',
    status: 'PARKED',
    owner: 'holder',
    attempt: 4,
    releases: 1,
    crashes: 2,
    leaseUntil: NOW - 1,
    expiresAt: NOW + 10_000,
    createdAt: NOW - 5_000,
    updatedAt: NOW - 1_000,
    ...members,
  };
}

function operation(kind: OperationKind, members: Partial<ClaimOperation> = {}): ClaimOperation {
  return {
    operation: kind,
    key: 'k',
    seen: { status: 'PARKED', owner: 'holder', attempt: 4 },
    owner: 'of-the-change',
    operator: 'pat',
    reason: 'fixed',
    retentionMs: 5_000,
    ...members,
  };
}

/** The change of a claim that is just as it was seen. */
function decided(kind: OperationKind, stored: Claim, members: Partial<ClaimOperation> = {}, tolerance = 0) {
  const { status, owner, attempt } = stored;
  return decideOperation(
    stored,
    operation(kind, { seen: { status, owner, attempt }, ...members }),
    NOW,
    tolerance,
  );
}

function written(kind: OperationKind, stored: Claim, members: Partial<ClaimOperation> = {}): Claim {
  const decision = decided(kind, stored, members);
  if (!('write' in decision)) throw new Error(`It was not written: ${JSON.stringify(decision)}`);
  return decision.write;
}

describe('The table of what people do', () => {
  const LIVE = { status: 'IN_PROGRESS', leaseUntil: NOW + 1 } as const;
  const OVERDUE = { status: 'IN_PROGRESS', leaseUntil: NOW } as const;
  const DONE = { status: 'COMPLETED', completedAt: NOW - 10 } as const;

  it.each<[string, Partial<Claim>, readonly [string, string, string, string]]>([
    ['a live lease', LIVE, ['running', 'running', 'running', 'running']],
    ['a lapsed lease', OVERDUE, ['FAILED', 'COMPLETED', 'PARKED', 'deleted']],
    ['a failure', { status: 'FAILED', error: ERROR }, ['FAILED', 'COMPLETED', 'PARKED', 'deleted']],
    ['a parked claim', { status: 'PARKED', error: ERROR }, ['FAILED', 'COMPLETED', 'PARKED', 'deleted']],
    ['a completion', DONE, ['completed', 'COMPLETED', 'completed', 'deleted']],
  ])('of %s', (_what, members, expected) => {
    expect(KINDS.map((kind) => endOf(decided(kind, claim(members))))).toEqual(expected);
    const forced = KINDS.map((kind) => endOf(decided(kind, claim(members), { force: true })));
    expect(forced).toEqual(['FAILED', 'COMPLETED', 'PARKED', 'deleted']);
  });

  it.each(KINDS)('needs a row: %s', (kind) => {
    const absent = { outcome: { status: 'refused', why: 'absent' } };
    expect(decideOperation(undefined, operation(kind, { force: true }), NOW)).toEqual(absent);
    const old = claim({ expiresAt: NOW });
    expect(decideOperation(old, operation(kind, { force: true }), NOW)).toEqual(absent);
    expect(endOf(decideOperation(old, operation(kind), NOW, 1))).not.toBe('absent');
  });

  it.each(KINDS)('needs the row to be as it was seen, also where it is forced: %s', (kind) => {
    const stored = claim();
    for (const other of [
      { status: 'FAILED' as ClaimStatus, owner: 'holder', attempt: 4 },
      { status: 'PARKED' as ClaimStatus, owner: 'another', attempt: 4 },
      { status: 'PARKED' as ClaimStatus, owner: 'holder', attempt: 3 },
    ]) {
      expect(decideOperation(stored, operation(kind, { seen: other, force: true }), NOW)).toEqual({
        outcome: { status: 'refused', why: 'changed', found: stored },
      });
    }
  });

  it('takes a lease for live for the clock tolerance', () => {
    const stored = claim({ status: 'IN_PROGRESS', leaseUntil: NOW - 499 });
    expect(endOf(decided('release', stored, {}, 500))).toBe('running');
    expect(endOf(decided('release', stored, {}, 499))).toBe('FAILED');
  });

  it('is done already where the row has the owner of the change', () => {
    const stored = claim({ owner: 'of-the-change', status: 'FAILED' });
    expect(decideOperation(stored, operation('release'), NOW)).toEqual({
      outcome: { status: 'done', claim: stored },
    });
  });

  function endOf(decision: ReturnType<typeof decideOperation>): string {
    if ('write' in decision) return decision.write.status;
    if ('forget' in decision) return 'deleted';
    const { outcome } = decision;
    return outcome.status === 'refused' ? outcome.why : outcome.status;
  }
});

describe('What is stored', () => {
  it('keeps the attempt, has another owner, and nobody who holds it', () => {
    for (const kind of ['release', 'resolve', 'park'] as const) {
      const live = claim({ status: 'IN_PROGRESS', leaseUntil: NOW + 60_000, started: true });
      const next = written(kind, live, { force: true });
      expect(next).toMatchObject({ attempt: 4, owner: 'of-the-change', leaseUntil: NOW, updatedAt: NOW });
      expect(next).not.toHaveProperty('started');
      expect(isOwnedBy(next, 'holder')).toBe(false);
      for (const end of ['complete', 'fail', 'park', 'release'] as const) {
        const late = { end, key: 'k', owner: 'holder', error: ERROR, releases: 0, retentionMs: 1 };
        expect(isAlreadySettled(next, late as Settlement)).toBe(false);
      }
    }
  });

  it('counts attempts from 0 after a release, so that no limit of them parks the key at once', () => {
    const next = written('release', claim({ error: ERROR }));
    expect([countedAttempts(next), next.crashes, next.error]).toEqual([0, 0, undefined]);
    const taken = decideAcquire(next, claimRequest('k'), NOW);
    expect(taken).toMatchObject({ tookOver: false, write: { attempt: 5, releases: 4, crashes: 0 } });
    expect(countedAttempts((taken as { readonly write: Claim }).write)).toBe(1);
  });

  it('is forgotten no sooner than it would have been', () => {
    expect(written('release', claim()).expiresAt).toBe(NOW + 10_000);
    expect(written('release', claim(), { retentionMs: 20_000 }).expiresAt).toBe(NOW + 20_000);
    const { expiresAt: _never, ...kept } = claim();
    expect(written('release', kept)).not.toHaveProperty('expiresAt');
  });

  it('has the result that was given, else the one that was there', () => {
    expect(written('resolve', claim(), { result: '1' })).toMatchObject({ completedAt: NOW, result: '1' });
    expect(written('resolve', claim())).not.toHaveProperty('result');
    const done = claim({ status: 'COMPLETED', completedAt: NOW - 10, result: '"old"' });
    expect(written('resolve', done)).toMatchObject({ completedAt: NOW - 10, result: '"old"' });
    for (const kind of ['release', 'park'] as const) {
      const again = written(kind, done, { force: true });
      expect(again).not.toHaveProperty('result');
      expect(again).not.toHaveProperty('completedAt');
    }
  });

  it('says why it is parked', () => {
    const { error } = written('park', claim({ error: ERROR }), { reason: 'ask the bank' });
    expect(error).toEqual({ name: 'ParkedByOperator', message: 'ask the bank' });
  });

  it('remembers the last ten changes', () => {
    let stored = claim({ error: ERROR });
    for (let time = 1; time <= 12; time += 1) {
      const kind = time % 2 === 1 ? 'release' : 'park';
      stored = written(kind, stored, { owner: `owner ${time}`, reason: `change ${time}` });
    }
    expect(stored.history).toHaveLength(10);
    expect(stored.history?.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 10 }, (_, index) => `change ${index + 3}`),
    );
    expect(stored.history?.at(-1)).toEqual({
      at: NOW,
      operation: 'park',
      operator: 'pat',
      reason: 'change 12',
      from: { status: 'FAILED', owner: 'owner 11', attempt: 4 },
    });
    expect(written('release', claim({ error: ERROR })).history?.[0]?.from.error).toEqual(ERROR);
  });

  it('keeps its history through the attempts that follow, and loses it with the row alone', () => {
    const released = written('release', claim());
    const { history } = released;
    const next = decideAcquire(released, claimRequest('k'), NOW) as { readonly write: Claim };
    expect(next.write.history).toBe(history);
    const later = next.write.leaseUntil;
    const taken = decideAcquire(next.write, claimRequest('k'), later) as { readonly write: Claim };
    expect(taken.write.history).toBe(history);
    const change = changeOfSettlement(
      { end: 'fail', key: 'k', owner: 'x', error: ERROR, retentionMs: 1 },
      NOW,
    );
    expect(change).not.toHaveProperty('history');
    const reborn = decideAcquire(released, claimRequest('k'), released.expiresAt as number) as {
      readonly write: Claim;
    };
    expect(reborn.write).not.toHaveProperty('history');
  });
});
