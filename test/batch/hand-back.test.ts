import { describe, expect, it } from '@jest/globals';
import type { RecordOutcome } from 'batchlatch';
import { handedBack } from '../../src/batch/hand-back.ts';
import { Ledger } from '../../src/batch/ledger.ts';
import { plan } from '../../src/batch/plan.ts';

const failed: RecordOutcome = { status: 'failed', error: new Error('no') };

/** What is handed back of a batch whose records ended so. */
function handedBackOf(
  ...records: readonly { readonly id?: string; readonly outcome: RecordOutcome | undefined }[]
): ReturnType<typeof handedBack> {
  const ledger = new Ledger([]);
  ledger.open(
    plan(
      records.map(({ id, outcome }, index) => ({
        index,
        itemIdentifier: id,
        recordId: `${index}`,
        lane: undefined,
        record: undefined,
        key: `${index}`,
        payloadHash: undefined,
        route: undefined,
        outcome,
      })),
    ),
  );
  return handedBack(ledger);
}

describe('what is handed back', () => {
  it.each<[string, RecordOutcome, boolean]>([
    ['done', { status: 'completed' }, true],
    ['done before', { status: 'duplicate' }, true],
    ['without work', { status: 'ignored' }, true],
    ['failed', failed, false],
    ['failed for good', { status: 'parked', error: new Error('no') }, false],
    [
      'failed for good and in the dead-letter queue',
      { status: 'parked', error: new Error('no'), isDeadLettered: true },
      true,
    ],
  ])('is a record that is not acknowledged: %s', (_what, outcome, isAcknowledged) => {
    const ids = handedBackOf({ id: 'm', outcome }).map(({ itemIdentifier }) => itemIdentifier);
    expect(ids).toEqual(isAcknowledged ? [] : ['m']);
  });

  it('is a record that has no outcome', () => {
    expect(handedBackOf({ id: 'm', outcome: undefined })).toHaveLength(1);
  });

  it('knows the nearest record before it that can be named', () => {
    const outcome = failed;
    const done: RecordOutcome = { status: 'completed' };
    const nearest = handedBackOf({ outcome }, { id: 'a', outcome: done }, { outcome }, { id: 'b', outcome });
    expect(nearest.map(({ nearestIdentifier }) => nearestIdentifier)).toEqual([undefined, 'a', 'b']);
  });

  it.each<[string, RecordOutcome | undefined, object]>([
    ['the error of a failure', failed, { message: 'no' }],
    [
      'a conflict',
      { status: 'conflict', leaseUntil: 0 },
      { code: 'BATCHLATCH_REDELIVER', message: expect.stringContaining('1970') },
    ],
    [
      'a lost claim',
      { status: 'lost' },
      { code: 'BATCHLATCH_REDELIVER', message: expect.stringContaining('taken over') },
    ],
    [
      'what did not start',
      { status: 'not-started', reason: 'deadline' },
      { message: expect.stringContaining('deadline') },
    ],
    ['what did not end', undefined, { message: expect.stringContaining('in time') }],
    ['another payload', { status: 'mismatch' }, { code: 'BATCHLATCH_MISMATCH' }],
  ])('rejects with an error that says why: %s', (_what, outcome, error) => {
    expect(handedBackOf({ id: 'm', outcome })[0]?.error()).toMatchObject(error);
  });
});
