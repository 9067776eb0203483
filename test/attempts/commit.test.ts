import { describe, expect, it } from '@jest/globals';
import type { ClaimStore, CommitOutcome, RecordContext, RecordHandler } from 'batchlatch';
import { cached, heartbeat, PermanentError, runWithoutClaim, StoreError } from 'batchlatch';
import { commit, type CommitItem, CommitItemsError } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { countersInMemory } from '../support/counters-in-memory.ts';
import { type Bench, bench, deferred, type Deferred, failed, forever, messages } from '../batch/bench.ts';

interface CommitBench extends Bench {
  readonly effects: ReturnType<typeof countersInMemory>;
  /** How often the store was asked to settle, and to commit. */
  readonly calls: { settle: number; extend: number; commit: number };
  /** What the store does in place of its own commit, once. */
  answer: ((commit: () => Promise<CommitOutcome>) => Promise<CommitOutcome>) | undefined;
}

function commitBench(): CommitBench {
  const effects = countersInMemory();
  const calls = { settle: 0, extend: 0, commit: 0 };
  const b = bench((clock): ClaimStore => {
    const store = memoryStore({ clock, onCommit: effects.onCommit });
    return {
      ...store,
      settle(...call) {
        calls.settle += 1;
        return store.settle(...call);
      },
      extend(...call) {
        calls.extend += 1;
        return store.extend(...call);
      },
      async commit(...call) {
        calls.commit += 1;
        const commit = async (): Promise<CommitOutcome> => (await store.commit?.(...call)) as CommitOutcome;
        const { answer } = whole;
        whole.answer = undefined;
        return answer === undefined ? commit() : answer(commit);
      },
    };
  });
  const whole: CommitBench = Object.assign(b, { effects, calls, answer: undefined });
  return whole;
}

const silent: CommitBench['answer'] = async (commit) => {
  await commit();
  return { error: new Error('the answer was lost') };
};
const unheard: CommitBench['answer'] = async () => ({ error: new Error('no answer') });

const NOT_ALLOWED = { code: 'BATCHLATCH_COMMIT_NOT_ALLOWED' };

describe('commit in a handler', () => {
  it('completes the record with the given result, without settling it again', async () => {
    const b = commitBench();
    const handler: RecordHandler = async (_, context) => {
      const { idempotencyKey } = context;
      await commit(context, [b.effects.addOne(idempotencyKey)], { result: { total: 3 } });
      return 'not this';
    };
    expect(await b.run(handler, ['a', 'b'])).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '{"total":3}' });
    expect(b.calls).toEqual({ settle: 0, extend: 0, commit: 2 });
    expect(await b.effects.read(b.key('a'))).toBe(1);
    expect(b.typesOf('a')).toEqual(['claimed', 'started', 'committed', 'succeeded']);
    expect(await b.run(handler, ['a', 'b'])).toEqual([]);
    expect(b.calls.commit).toBe(2);
  });

  it('keeps the record completed when its handler throws afterwards, and tells the observer', async () => {
    const b = commitBench();
    const error = new PermanentError('the mail was not sent');
    const handler: RecordHandler = async (_, context) => {
      await commit(context, [b.effects.addOne('a')]);
      throw error;
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect((await b.claim('a'))?.status).toBe('COMPLETED');
    expect(b.eventsOf('failedAfterCommit')).toMatchObject([{ recordId: 'a', error }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { completed: 1 } }]);
  });

  it('is refused with the reasons, writes nothing, and lets the handler commit something else', async () => {
    const b = commitBench();
    const handler: RecordHandler = async (_, context) => {
      await expect(commit(context, [b.effects.addOne('a'), b.effects.refused()])).rejects.toMatchObject({
        code: 'BATCHLATCH_COMMIT_REFUSED',
        reasons: [{ index: 1, code: 'ConditionalCheckFailed' }],
      });
      expect(await b.effects.read('a')).toBe(0);
      await commit(context, [b.effects.addOne('b')]);
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(b.eventsOf('failed')).toEqual([]);
    expect([await b.effects.read('a'), await b.effects.read('b')]).toEqual([0, 1]);
  });

  it('lets a handler whose commit was refused return, which completes the record without an effect', async () => {
    const b = commitBench();
    const handler: RecordHandler = (_, context) =>
      commit(context, [b.effects.refused()]).catch(() => 'already booked');
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '"already booked"' });
  });

  it('fails the record when the refusal is thrown on', async () => {
    const b = commitBench();
    expect(await b.run((_, context) => commit(context, [b.effects.refused()]), ['a'])).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({
      status: 'FAILED',
      error: { code: 'BATCHLATCH_COMMIT_REFUSED' },
    });
  });

  it('is allowed once in a run', async () => {
    const b = commitBench();
    const handler: RecordHandler = async (_, context) => {
      const first = commit(context, [b.effects.addOne('a')]);
      await expect(commit(context, [b.effects.addOne('a')])).rejects.toMatchObject(NOT_ALLOWED);
      await first;
      await expect(commit(context, [b.effects.addOne('a')])).rejects.toMatchObject(NOT_ALLOWED);
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(b.eventsOf('failed')).toEqual([]);
    expect(await b.effects.read('a')).toBe(1);
  });

  it('is not allowed after the handler has ended', async () => {
    const b = commitBench();
    let context: RecordContext | undefined;
    await b.run(
      (_, given) => {
        context = given;
      },
      ['a'],
    );
    await expect(commit(context as unknown as RecordContext, [b.effects.addOne('a')])).rejects.toMatchObject(
      NOT_ALLOWED,
    );
    expect(b.calls.commit).toBe(0);
  });

  it('rejects with what cannot be committed before anything is sent, and can be called again', async () => {
    const b = commitBench();
    b.answer = async () => ({ refused: new CommitItemsError('too many') });
    const handler: RecordHandler = async (_, context) => {
      await expect(commit(context, [])).rejects.toMatchObject({ code: 'BATCHLATCH_COMMIT_ITEMS' });
      await commit(context, [b.effects.addOne('a')]);
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
  });

  it('names what is missing where the store has no transactions', async () => {
    const b = bench();
    const items: CommitItem[] = [{ Delete: { TableName: 't', Key: { id: 1 } } }];
    expect(await b.run((_, context) => commit(context, items), ['a'])).toEqual(['a']);
    expect((await b.claim('a'))?.error?.code).toBe('BATCHLATCH_CONFIGURATION');
    expect((await b.claim('a'))?.error?.message).toContain('no commit()');
  });

  it('keeps the completion when the result is one that no JSON can hold', async () => {
    const b = commitBench();
    expect(
      await b.run((_, context) => commit(context, [b.effects.addOne('a')], { result: 1n }), ['a']),
    ).toEqual([]);
    expect((await b.claim('a'))?.status).toBe('COMPLETED');
    expect(b.eventsOf('resultDropped')).toHaveLength(1);
  });
});

describe('a commit of which nobody knows whether it is written', () => {
  it('completes the record when its row shows that it is', async () => {
    const b = commitBench();
    b.answer = silent;
    expect(await b.run((_, context) => commit(context, [b.effects.addOne('a')]), ['a'])).toEqual([]);
    expect((await b.claim('a'))?.status).toBe('COMPLETED');
    expect(await b.effects.read('a')).toBe(1);
  });

  it('fails the record when it is not, also when the handler returns as if nothing were', async () => {
    const b = commitBench();
    b.answer = unheard;
    const handler: RecordHandler = (_, context) =>
      commit(context, [b.effects.addOne('a')]).catch(() => 'fine');
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect((await b.claim('a'))?.status).toBe('FAILED');
    expect(b.eventsOf('settleFailed')).toMatchObject([
      { recordId: 'a', effectDone: false, error: { message: 'no answer' } },
    ]);
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(await b.effects.read('a')).toBe(1);
  });

  it('is no success where records run without a claim, also when its completion cannot be stored either', async () => {
    const b = commitBench();
    const unavailable = new StoreError('no such table', { isRetryable: false });
    b.store.settle = async (settlements) => settlements.map(() => ({ error: unavailable }));
    b.answer = unheard;
    const handler: RecordHandler = (_, context) =>
      commit(context, [b.effects.addOne('a')]).catch(() => 'fine');
    expect(await b.run(handler, ['a'], { onStoreError: runWithoutClaim() })).toEqual(['a']);
    expect(await b.effects.read('a')).toBe(0);
  });

  it('cannot be written any more once the record is handed back', async () => {
    const b = commitBench();
    let late: (() => Promise<CommitOutcome>) | undefined;
    b.answer = async (commit) => {
      late = commit;
      return { error: new Error('no answer') };
    };
    expect(await b.run((_, context) => commit(context, [b.effects.addOne('a')]), ['a'])).toEqual(['a']);
    expect(await late?.()).toBe('lost');
    expect(await b.effects.read('a')).toBe(0);
  });

  it('allows no other commit in the same run', async () => {
    const b = commitBench();
    b.answer = silent;
    const handler: RecordHandler = async (_, context) => {
      await commit(context, [b.effects.addOne('a')]).catch(() => undefined);
      await expect(commit(context, [b.effects.addOne('b')])).rejects.toMatchObject(NOT_ALLOWED);
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(b.eventsOf('failed')).toEqual([]);
    expect([await b.effects.read('a'), await b.effects.read('b')]).toEqual([1, 0]);
  });
});

describe('a commit and the lease', () => {
  it('is lost when another attempt took over, and nothing of it is written', async () => {
    const b = commitBench();
    const errors: unknown[] = [];
    const handler: RecordHandler = async (_, context) => {
      await b.clock.advance(1_000);
      await b.occupy('a');
      await commit(context, [b.effects.addOne('a')]).catch((error: unknown) => errors.push(error));
    };
    expect(await b.run(handler, ['a'], { leaseMs: 1_000 })).toEqual(['a']);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_LEASE_LOST' }]);
    expect(await b.effects.read('a')).toBe(0);
    expect((await b.claim('a'))?.status).toBe('IN_PROGRESS');
  });

  it('is written by a late owner when nobody took over, also after its signal was aborted', async () => {
    const b = commitBench();
    const handler: RecordHandler = async (_, context) => {
      const { signal } = context;
      await b.clock.advance(1_000);
      expect(signal.aborted).toBe(true);
      await commit(context, [b.effects.addOne('a')]);
    };
    expect(await b.run(handler, ['a'], { leaseMs: 1_000 })).toEqual([]);
  });

  it('leaves no lease to lose: the signal is not aborted, and extending it does nothing', async () => {
    const b = commitBench();
    const handler: RecordHandler = async (_, context) => {
      const { signal, extendLease } = context;
      void signal;
      await commit(context, [b.effects.addOne('a')]);
      await extendLease(60_000);
      await b.clock.advance(5_000);
      expect(signal.aborted).toBe(false);
    };
    expect(await b.run(handler, ['a'], { leaseMs: 1_000 })).toEqual([]);
    expect(b.eventsOf('failed')).toEqual([]);
    expect(b.calls.extend).toBe(0);
  });

  it('ends the watch over the lease: the signal is not aborted when it would have lapsed', async () => {
    const b = commitBench();
    const handler: RecordHandler = async (_, context) => {
      const { signal } = context;
      await commit(context, [b.effects.addOne('a')]);
      await b.clock.advance(5_000);
      expect(signal.aborted).toBe(false);
    };
    expect(await b.run(handler, ['a'], { leaseMs: 1_000 })).toEqual([]);
    expect(b.eventsOf('failedAfterCommit')).toEqual([]);
  });

  it('is no lost lease for an extension that its own commit overtakes', async () => {
    const b = commitBench();
    const answer = deferred();
    b.answer = async (commit) => {
      const outcome = await commit();
      await answer.promise;
      return outcome;
    };
    const handler: RecordHandler = async (_, context) => {
      const { extendLease } = context;
      const committing = commit(context, [b.effects.addOne('a')]);
      const extending = extendLease(60_000);
      answer.resolve();
      await Promise.all([committing, extending]);
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(b.eventsOf('failed')).toEqual([]);
  });
});

describe('a commit and the heartbeat', () => {
  it('renews no claim that is completed, and takes its own commit for no lost lease', async () => {
    const b = commitBench();
    const answer = deferred();
    const end = deferred();
    b.answer = async (commit) => {
      const outcome = await commit();
      await answer.promise;
      return outcome;
    };
    const handler: RecordHandler = async (_, context) => {
      const { signal } = context;
      void signal;
      await commit(context, [b.effects.addOne('a')]);
      await end.promise;
      expect(signal.aborted).toBe(false);
    };
    const running = b.run(handler, ['a'], { leaseMs: 900, heartbeat: heartbeat() });
    await b.clock.advance(300); // a beat finds the claim completed before the handler is told so
    answer.resolve();
    await b.clock.advance(600);
    const asked = b.calls.extend;
    await b.clock.advance(3_000);
    expect(b.calls.extend).toBe(asked);
    end.resolve();
    expect(await running).toEqual([]);
    expect(b.eventsOf('failed')).toEqual([]);
  });
});

describe('a commit of a run without a claim', () => {
  it('is not allowed: there is nothing to complete with it', async () => {
    const b = commitBench();
    const store: ClaimStore = {
      ...b.store,
      acquire: () => Promise.reject(new Error('the store is out of order')),
    };
    const handler: RecordHandler = (_, context) => commit(context, [b.effects.addOne('a')]);
    expect(await b.run(handler, ['a'], { store, onStoreError: runWithoutClaim() })).toEqual(['a']);
    expect(b.eventsOf('failed')).toMatchObject([{ error: NOT_ALLOWED }]);
    expect(await b.effects.read('a')).toBe(0);
  });
});

describe('a commit and the cache of completions', () => {
  it('makes the next delivery a duplicate without a request', async () => {
    const b = commitBench();
    let asked = 0;
    const acquire: ClaimStore['acquire'] = (...call) => {
      asked += 1;
      return b.store.acquire(...call);
    };
    const store: ClaimStore = { ...b.store, acquire };
    const handle = b.processor((_, context) => commit(context, [b.effects.addOne('a')]), {
      store: cached(store, { max: 10, clock: b.clock }),
    });
    expect(failed(await handle(messages('a')))).toEqual([]);
    expect(failed(await handle(messages('a')))).toEqual([]);
    expect(asked).toBe(1);
    expect(b.eventsOf('duplicate')).toHaveLength(1);
  });
});

describe('a commit and those who wait to be settled with it', () => {
  it('lets them wait no longer', async () => {
    const b = commitBench();
    const gate = deferred();
    const handler: RecordHandler = async ({ id }, context) => {
      if (id === 'quick') return;
      await gate.promise;
      await commit(context, [b.effects.addOne('a')]);
    };
    const answer = b.run(handler, ['quick', 'slow'], { settleLingerMs: 60_000 });
    await b.clock.advance(1_000);
    expect((await b.claim('quick'))?.status).toBe('IN_PROGRESS');
    gate.resolve();
    expect(await answer).toEqual([]);
  });
});

describe('a commit that is not waited for', () => {
  function heldUp(b: CommitBench): Deferred {
    const gate = deferred();
    b.answer = async (commit) => {
      await gate.promise;
      return commit();
    };
    return gate;
  }

  it('is waited for by the batch', async () => {
    const b = commitBench();
    const gate = heldUp(b);
    const answer = b.run((_, context) => void commit(context, [b.effects.addOne('a')]), ['a']);
    await b.told('succeeded', 'a');
    expect((await b.claim('a'))?.status).toBe('IN_PROGRESS');
    gate.resolve();
    expect(await answer).toEqual([]);
    expect(await b.effects.read('a')).toBe(1);
    expect(b.calls.settle).toBe(0);
  });

  it('fails the record when it is refused, and nothing else', async () => {
    const b = commitBench();
    const gate = heldUp(b);
    const answer = b.run((_, context) => void commit(context, [b.effects.refused()]), ['a']);
    await b.told('succeeded', 'a');
    gate.resolve();
    expect(await answer).toEqual(['a']);
    expect((await b.claim('a'))?.error?.code).toBe('BATCHLATCH_COMMIT_REFUSED');
    expect(b.eventsOf('settleFailed')).toMatchObject([
      { recordId: 'a', effectDone: false, error: { code: 'BATCHLATCH_COMMIT_REFUSED' } },
    ]);
  });
});

describe('a commit and a handler that the batch goes on without', () => {
  it('completes the record when it was written before', async () => {
    const b = commitBench();
    const handler: RecordHandler = async (_, context) => {
      await commit(context, [b.effects.addOne('a')]);
      await forever();
    };
    const answer = b.processor(handler)(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_900);
    expect(failed(await answer)).toEqual([]);
  });

  it('makes the next delivery a duplicate when it is written after', async () => {
    const b = commitBench();
    const gate = deferred();
    const handler: RecordHandler = async (_, context) => {
      await gate.promise;
      await commit(context, [b.effects.addOne('a')]);
    };
    const answer = b.processor(handler)(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_900);
    expect(failed(await answer)).toEqual(['a']);
    gate.resolve();
    await b.told('committed', 'a');
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(b.eventsOf('duplicate')).toHaveLength(1);
    expect(await b.effects.read('a')).toBe(1);
    expect(b.calls.settle).toBe(0);
  });
});
