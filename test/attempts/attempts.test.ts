import { describe, expect, it } from '@jest/globals';
import { PermanentError, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, deferred, failed, fifo, messages } from '../batch/bench.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const declined: RecordHandler = () => {
  throw new Error('card declined');
};
const throwing = (error: unknown): RecordHandler => {
  return () => {
    throw error;
  };
};

/** Claims a record and gives it back before it starts, as an invocation does that runs out of time. */
async function giveBack(b: Bench, id: string, times: number): Promise<void> {
  for (let releases = 0; releases < times; releases += 1) {
    const owner = { key: b.key(id), owner: `released-${releases}`, retentionMs: DAY_MS };
    await b.store.acquire([{ ...owner, leaseMs: 1_000 }]);
    await b.store.settle([{ ...owner, end: 'release', releases }]);
  }
}

describe('maxAttempts', () => {
  it('parks with the last failure; the message is handed back, to reach its dead-letter queue', async () => {
    const b = bench();
    const options = { maxAttempts: 3 };
    for (const status of ['FAILED', 'FAILED', 'PARKED']) {
      expect(await b.run(declined, ['a'], options)).toEqual(['a']);
      expect((await b.claim('a'))?.status).toBe(status);
    }
    expect(await b.claim('a')).toMatchObject({ attempt: 3, error: { message: 'card declined' } });
    expect(b.eventsOf('parked')).toMatchObject([{ recordId: 'a', error: { message: 'card declined' } }]);
  });

  it('never runs a parked record again, and says each time why', async () => {
    const b = bench();
    await b.run(declined, ['a'], { maxAttempts: 1 });
    let runs = 0;
    const again = await b.run(() => (runs += 1), ['a']);
    expect(again).toEqual(['a']);
    expect(runs).toBe(0);
    expect(b.eventsOf('parked')[1]).toMatchObject({
      error: { name: 'Error', message: 'card declined' },
    });
  });

  it('counts the attempts that died', async () => {
    const b = bench();
    await b.die('a');
    await b.die('a');
    await b.run(declined, ['a'], { maxAttempts: 3 });
    expect((await b.claim('a'))?.status).toBe('PARKED');
  });

  it('parks without another run what died in its last attempt', async () => {
    const b = bench();
    await b.die('a');
    await b.die('a');
    let runs = 0;
    expect(await b.run(() => (runs += 1), ['a', 'b'], { maxAttempts: 2 })).toEqual(['a']);
    expect(runs).toBe(1);
    expect(await b.claim('a')).toMatchObject({
      status: 'PARKED',
      error: { code: 'BATCHLATCH_TOO_MANY_ATTEMPTS', message: expect.stringContaining('2 attempts') },
    });
    expect(b.typesOf('a')).not.toContain('started');
  });

  it('counts neither what was given back before it started nor what waited for its turn alone', async () => {
    const b = bench();
    await giveBack(b, 'a', 5);
    await b.die('a');
    const seen: number[] = [];
    const failing: RecordHandler = (_, { attempt }) => {
      seen.push(attempt);
      throw new Error('declined');
    };
    await b.run(failing, ['a'], { maxAttempts: 3 });
    expect((await b.claim('a'))?.status).toBe('FAILED');
    await b.run(failing, ['a'], { maxAttempts: 3 });
    expect((await b.claim('a'))?.status).toBe('PARKED');
    // The fencing token only grows: 5 given back, 1 died, 1 put off, 2 failed.
    expect(seen).toEqual([8, 9]);
  });

  it('counts no record that its message group held back', async () => {
    const b = bench();
    const handler: RecordHandler = ({ id }) => {
      if (id === 'a1') throw new Error('declined');
    };
    for (let delivery = 1; delivery <= 3; delivery += 1) {
      await b.processor(handler, { maxAttempts: 4 })(fifo('a1', 'a2'));
    }
    expect(await b.claim('a2')).toMatchObject({ status: 'FAILED', attempt: 3, releases: 3 });
  });

  it('counts an attempt that ran out of time', async () => {
    const b = bench();
    const handler: RecordHandler = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    const answer = b.processor(handler, { maxAttempts: 1 })(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_000);
    expect(failed(await answer)).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({ status: 'PARKED', error: { code: 'BATCHLATCH_DEADLINE' } });
  });

  it('does not stand in the way of the attempt that succeeds', async () => {
    const b = bench();
    await b.run(declined, ['a'], { maxAttempts: 2 });
    expect(await b.run(() => 'done', ['a'], { maxAttempts: 2 })).toEqual([]);
    expect((await b.claim('a'))?.status).toBe('COMPLETED');
  });

  it('has no bound by default', async () => {
    const b = bench();
    for (let delivery = 1; delivery <= 30; delivery += 1) await b.run(declined, ['a']);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', attempt: 30 });
  });
});

describe('A permanent error', () => {
  class UnknownProduct extends PermanentError {}

  it.each<[string, unknown]>([
    ['PermanentError', new PermanentError('unknown product')],
    ['a subclass', new UnknownProduct('unknown product')],
    ['an error with its code', Object.assign(new Error('unknown product'), { code: 'BATCHLATCH_PERMANENT' })],
    ['an object with its code', { code: 'BATCHLATCH_PERMANENT' }],
  ])('parks at once, without asking `retryable`: %s', async (_, error) => {
    const b = bench();
    const retryable = (): boolean => true;
    expect(await b.run(throwing(error), ['a'], { retryable })).toEqual(['a']);
    expect((await b.claim('a'))?.status).toBe('PARKED');
    expect(b.typesOf('a')).toEqual(['claimed', 'started', 'failed', 'settling', 'parked']);
  });

  it('counts when it comes from another copy of the package', async () => {
    const copy = '../../src/attempts/errors.ts?second-copy';
    const { PermanentError: OtherPermanentError } = (await import(copy)) as {
      PermanentError: typeof PermanentError;
    };
    const error = new OtherPermanentError('unknown product');
    expect(error).not.toBeInstanceOf(PermanentError);
    const b = bench();
    await b.run(throwing(error), ['a']);
    expect((await b.claim('a'))?.status).toBe('PARKED');
  });
});

describe('retryable', () => {
  class Unavailable extends Error {}
  const retryable = (error: unknown): boolean => error instanceof Unavailable;

  it('decides which errors may be tried again; the others are parked at once', async () => {
    const b = bench();
    await b.run(throwing(new Unavailable()), ['again'], { retryable });
    await b.run(throwing(new TypeError('no such field')), ['never'], { retryable });
    expect((await b.claim('again'))?.status).toBe('FAILED');
    expect((await b.claim('never'))?.status).toBe('PARKED');
  });

  it('gets what the handler threw, as it is', async () => {
    const b = bench();
    const asked: unknown[] = [];
    const thrown = { status: 409 };
    const classifier = (error: unknown): boolean => asked.push(error) > 0;
    await b.run(throwing(thrown), ['a'], { retryable: classifier });
    expect(asked).toEqual([thrown]);
    expect(asked[0]).toBe(thrown);
  });

  it('parks nothing when it throws itself', async () => {
    const b = bench();
    const broken = (): boolean => {
      throw new Error('no such property');
    };
    expect(await b.run(declined, ['a', 'b'], { retryable: broken })).toEqual(['a', 'b']);
    expect((await b.claim('a'))?.status).toBe('FAILED');
  });

  it('ends nothing but its record when it returns a promise that rejects', async () => {
    const b = bench();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const retryable = (() => Promise.reject(new Error('no such property'))) as unknown as () => boolean;
    expect(await b.run(declined, ['a'], { retryable })).toEqual(['a']);
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect((await b.claim('a'))?.status).toBe('FAILED');
  });

  it('cannot lift the bound of maxAttempts', async () => {
    const b = bench();
    await b.run(declined, ['a'], { retryable: () => true, maxAttempts: 1 });
    expect((await b.claim('a'))?.status).toBe('PARKED');
  });
});

describe('Parking that cannot be stored', () => {
  it('is a failure of the record, which may come again; the error is the business error', async () => {
    const b = bench((clock) => ({
      ...memoryStore({ clock }),
      settle: async (settlements) => settlements.map(() => 'lost'),
    }));
    expect(await b.run(throwing(new PermanentError('unknown product')), ['a'])).toEqual(['a']);
    expect(b.eventsOf('parked')).toEqual([]);
    expect(b.eventsOf('failed')).toMatchObject([{ error: { message: 'unknown product' } }]);
    expect(b.eventsOf('leaseLost')).toMatchObject([{ recordId: 'a', effectDone: false }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { failed: 1 } }]);
  });

  it('is tried again when it may pass', async () => {
    let refusals = 2;
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        async settle(settlements) {
          refusals -= 1;
          if (refusals >= 0) throw new Error('connection reset');
          return store.settle(settlements);
        },
      };
    });
    const parked = deferred<string[]>();
    void b.run(throwing(new PermanentError('unknown product')), ['a']).then(parked.resolve);
    await b.clock.advance(1_000);
    expect(await parked.promise).toEqual(['a']);
    expect((await b.claim('a'))?.status).toBe('PARKED');
  });
});
