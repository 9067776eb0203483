import { describe, expect, it } from '@jest/globals';
import type { RecordOutcome } from 'batchlatch';
import { answer } from '../../src/batch/response.ts';

const done: RecordOutcome = { status: 'completed' };
const failed: RecordOutcome = { status: 'failed', error: new Error('no') };

function endings(...outcomes: (RecordOutcome | undefined)[]) {
  return outcomes.map((outcome, index) => ({ itemIdentifier: `s${index}`, outcome }));
}

describe('the answer to a stream', () => {
  it('is empty when all is done', () => {
    expect(answer(endings(done, { status: 'duplicate' }), 'checkpoint')).toEqual({ batchItemFailures: [] });
  });

  it.each([
    ['a failure', failed],
    ['a record without an outcome', undefined],
  ])('names the first that is left, and nothing behind it: %s', (_, outcome) => {
    expect(answer(endings(done, outcome, done, failed), 'checkpoint')).toEqual({
      batchItemFailures: [{ itemIdentifier: 's1' }],
    });
  });
});

describe('the answer to a stream whose records have lost their numbers', () => {
  it('names the nearest record before the failure that has one', () => {
    const [a, b, c] = endings(done, done, failed);
    const unnamed = [a, { ...b, itemIdentifier: undefined }, { ...c, itemIdentifier: undefined }];
    expect(answer(unnamed as Parameters<typeof answer>[0], 'checkpoint')).toEqual({
      batchItemFailures: [{ itemIdentifier: 's0' }],
    });
  });

  it('is a failure of the whole where none has', () => {
    const unnamed = endings(done, failed).map(({ outcome }) => ({ itemIdentifier: undefined, outcome }));
    expect(() => answer(unnamed, 'checkpoint')).toThrow(
      expect.objectContaining({ code: 'BATCHLATCH_UNNAMED_RECORD' }),
    );
  });
});

describe('the answer to what is delivered alone', () => {
  it('is nothing when it is done', () => {
    expect(answer(endings(done), 'all-or-nothing')).toBeUndefined();
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
  ])('is a rejection that says why: %s', (_, outcome, error) => {
    let thrown: unknown;
    try {
      answer(endings(outcome), 'all-or-nothing');
    } catch (reason) {
      thrown = reason;
    }
    expect(thrown).toMatchObject(error);
  });
});
