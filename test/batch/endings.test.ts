import { describe, expect, it } from '@jest/globals';
import type { RecordOutcome } from 'batchlatch';
import { answerOf } from '../../src/batch/answer-of.ts';

const failed: RecordOutcome = { status: 'failed', error: new Error('no') };

describe('the ending of a record', () => {
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
  ])('is acknowledged or not: %s', (_what, outcome, isAcknowledged) => {
    expect(answerOf({ itemIdentifier: 'm' }, outcome)).toMatchObject({ itemIdentifier: 'm', isAcknowledged });
  });

  it('that has no outcome is not', () => {
    expect(answerOf({ itemIdentifier: 'm' }, undefined).isAcknowledged).toBe(false);
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
    expect(answerOf({ itemIdentifier: 'm' }, outcome).error()).toMatchObject(error);
  });
});
