import { describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import { type BatchProcessorOptions, type RecordHandler, UnsupportedEventError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import * as fc from 'fast-check';
import {
  type Bench,
  bench,
  deferred,
  type Deferred,
  failed,
  forever,
  ids,
  messages,
} from '../batch/bench.ts';
import { onEachStore, turn, until } from '../batch/on-each-store.ts';

const succeeds: RecordHandler = () => 'done';
const fails: RecordHandler = () => {
  throw new Error('card declined');
};

describe('B1: every record fails', () => {
  it('gives a full list, in the order of the batch, and no exception', async () => {
    const batch = ids(10);
    expect(await bench().run(fails, batch)).toEqual(batch);
  });

  it('gives a full list when every handler throws before its first await, with one slot', async () => {
    const batch = ids(40);
    expect(await bench().run(fails, batch, { concurrency: 1 })).toEqual(batch);
  });

  it('gives a full list when the store knows nothing of any of them', async () => {
    const b = bench((clock) => ({
      ...memoryStore({ clock }),
      acquire: async () => {
        throw new Error('DynamoDB is away');
      },
    }));
    const batch = ids(30);
    expect(await b.run(succeeds, batch)).toEqual(batch);
    expect(b.eventsOf('started')).toEqual([]);
  });
});

describe('B2: an empty batch', () => {
  it('gives an empty list, and asks the store for nothing', async () => {
    let calls = 0;
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      const counting = <Args extends unknown[], Answer>(call: (...args: Args) => Answer) => {
        return (...args: Args): Answer => {
          calls += 1;
          return call(...args);
        };
      };
      return { ...store, acquire: counting(store.acquire), settle: counting(store.settle) };
    });
    expect(await b.processor(fails)({ Records: [] }, b.lambda(3_000))).toEqual({ batchItemFailures: [] });
    expect(calls).toBe(0);
  });
});

describe('B3: identifiers', () => {
  it('names what failed, each once, never null, empty or unknown, or hands the whole batch back', async () => {
    const record = fc.record({
      messageId: fc.constantFrom<unknown>('a', 'b', 'c', 'd', 'e', 'f', '', null, undefined, 7, {}),
      body: fc.constantFrom<unknown>('{}', '{}', '{}', 'text', '', null, undefined, 7),
    });
    const noRecord = fc.constantFrom<unknown>(null, undefined, 'text', 7, []);
    const batches = fc.array(fc.oneof({ weight: 9, arbitrary: record }, { weight: 1, arbitrary: noRecord }), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(batches, fc.subarray(['a', 'b', 'c', 'd', 'e', 'f']), async (given, failing) => {
        const [template] = messages('template').Records;
        const records = given.map((one) =>
          typeof one === 'object' && one !== null && !Array.isArray(one) ? { ...template, ...one } : one,
        );
        const event = { Records: [template, ...records] };
        const handler: RecordHandler = ({ id }) => {
          if (failing.includes(id)) throw new Error('declined');
        };
        const mustComeBack = records.filter((one) => !isReadable(one) || failing.includes(one.messageId));
        const names = mustComeBack.map(nameOf);

        const answer = bench().processor(handler)(event as SQSEvent);
        if (names.includes(undefined)) {
          await expect(answer).rejects.toMatchObject({ code: 'BATCHLATCH_UNNAMED_RECORD' });
        } else {
          expect(failed(await answer)).toEqual([...new Set(names)]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('names a message once that the batch holds twice, and runs it once', async () => {
    const b = bench();
    let runs = 0;
    const handler: RecordHandler = () => {
      runs += 1;
      throw new Error('declined');
    };
    expect(await b.run(handler, ['twice', 'other', 'twice'])).toEqual(['twice', 'other']);
    expect(runs).toBe(2);
  });

  it('hands a message back of which one copy succeeded and the other did not', async () => {
    const b = bench();
    const event = sqsEvent([
      { messageId: 'twice', body: { part: 1 } },
      { messageId: 'twice', body: { part: 2 } },
    ]);
    const handler: RecordHandler = ({ rawBody }) => {
      if (rawBody.includes('2')) throw new Error('declined');
    };
    const key: BatchProcessorOptions['key'] = ({ rawBody }) => rawBody;
    expect(failed(await b.processor(handler, { key })(event))).toEqual(['twice']);
  });

  it('hands the whole batch back for a record that cannot be named, and runs the others only once', async () => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id));
    const event = messages('a', 'nameless', 'b');
    delete (event.Records[1] as Partial<SQSEvent['Records'][number]>).messageId;

    await expect(process(event)).rejects.toMatchObject({
      code: 'BATCHLATCH_UNNAMED_RECORD',
      message: expect.stringContaining('1 record(s) have no messageId'),
    });
    expect(runs).toEqual(['a', 'b']);

    await expect(process(event)).rejects.toMatchObject({ code: 'BATCHLATCH_UNNAMED_RECORD' });
    expect(runs).toEqual(['a', 'b']);
    expect(b.typesOf('b').at(-1)).toBe('duplicate');
  });

  function isReadable(record: unknown): record is { messageId: string } {
    const { body } = (record ?? {}) as { body?: unknown };
    return nameOf(record) !== undefined && typeof body === 'string';
  }

  function nameOf(record: unknown): string | undefined {
    const { messageId } = (record ?? {}) as { messageId?: unknown };
    return typeof messageId === 'string' && messageId !== '' ? messageId : undefined;
  }
});

describe('B4: one malformed record', () => {
  it.each<[string, object]>([
    ['no body', { body: undefined }],
    ['a null body', { body: null }],
    ['a body that is an object', { body: { orderId: 1 } }],
    ['another event source', { eventSource: 'aws:kinesis' }],
    ['no event source', { eventSource: undefined }],
  ])('fails alone: %s', async (_, members) => {
    const b = bench();
    const event = messages('good', 'malformed', 'fine');
    Object.assign(event.Records[1] as object, members);
    expect(failed(await b.processor(succeeds)(event))).toEqual(['malformed']);
    expect((await b.claim('good'))?.status).toBe('COMPLETED');
    expect((await b.claim('fine'))?.status).toBe('COMPLETED');
    expect(b.eventsOf('invalid')).toMatchObject([
      { recordId: 'malformed', error: { code: 'BATCHLATCH_MALFORMED_RECORD' } },
    ]);
  });

  it('fails alone when its key cannot be had', async () => {
    const b = bench();
    const key: BatchProcessorOptions['key'] = ({ id }) => (id === 'keyless' ? '' : id);
    expect(await b.run(succeeds, ['good', 'keyless', 'fine'], { key })).toEqual(['keyless']);
  });

  it('runs a record that lacks only what nobody needs', async () => {
    const event = messages('bare');
    const [{ messageId, body, eventSource }] = event.Records as [SQSEvent['Records'][number]];
    const bare = { Records: [{ messageId, body, eventSource }] } as SQSEvent;
    expect(failed(await bench().processor(succeeds)(bare))).toEqual([]);
  });
});

describe('B5: an event of another kind', () => {
  it.each<[string, unknown, string]>([
    ['Kafka', { Records: [{ eventSource: 'aws:kafka' }] }, '"aws:kafka"'],
    ['a tumbling window', { Records: [], window: {} }, 'a tumbling window'],
    ['a list of SNS', [{ EventSource: 'aws:sns', Sns: {} }], '"aws:sns"'],
    ['an empty list', [], 'an empty array'],
    ['records of nobody', { Records: [{}, null, 7] }, '3 records with no eventSource'],
    ['records that are no list', { Records: 'all of them' }, 'an event with Records'],
    ['API Gateway', { httpMethod: 'POST', path: '/orders', body: '{}' }, 'httpMethod, path, body'],
    ['a half EventBridge event', { id: 'e-1', source: 'shop' }, 'an event with id, source'],
    ['an empty event', {}, 'an empty event'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a list', [{ messageId: 'm-1' }], 'an array of 1'],
    ['a text', 'an order', 'type string'],
    ['a number', 7, 'type number'],
  ])('is refused with an error that says what came: %s', async (_, event, what) => {
    const b = bench();
    const refusal = await b
      .processor(succeeds)(event)
      .then(
        () => 'a success',
        (error: unknown) => error,
      );
    expect(refusal).toBeInstanceOf(UnsupportedEventError);
    expect(refusal).toMatchObject({
      code: 'BATCHLATCH_UNSUPPORTED_EVENT',
      message: expect.stringContaining(what),
    });
    expect(b.events).toEqual([]);
  });
});

describe('B6: the concurrency limit', () => {
  it.each([
    [1, 3_000],
    [10, 3_000],
    [300, 10_000],
  ])('is %i at once, never more, for %i records', async (concurrency, records) => {
    const b = bench();
    let running = 0;
    let most = 0;
    const handler: RecordHandler = async () => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
    };
    expect(await b.run(handler, ids(records), { concurrency })).toEqual([]);
    expect(most).toBe(concurrency);
  });

  it('holds when most of 3,000 handlers fail, some of them before their first await', async () => {
    const b = bench();
    let running = 0;
    let most = 0;
    const handler: RecordHandler = async ({ id }) => {
      if (id.endsWith('1')) throw new Error('at once');
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      if (!id.endsWith('2')) throw new Error('later');
    };
    const batch = ids(3_000);
    const handedBack = await b.run(handler, batch, { concurrency: 7 });
    expect(handedBack).toEqual(batch.filter((id) => !id.endsWith('2')));
    expect(most).toBe(7);
  });

  it('holds few more claims than it can run soon: those that wait use up their leases', async () => {
    let held = 0;
    let most = 0;
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        acquire(requests) {
          held += requests.length;
          most = Math.max(most, held);
          return store.acquire(requests);
        },
        settle(settlements) {
          held -= settlements.length;
          return store.settle(settlements);
        },
      };
    });
    expect(await b.run(async () => undefined, ids(3_000), { concurrency: 10 })).toEqual([]);
    // Twice the concurrency and a request of 25, and as many again that wait for company to be settled.
    expect(most).toBeLessThanOrEqual(20 + 25 + 25);
  });
});

onEachStore((makeStore) => {
  describe('B7: a record that hangs', () => {
    const INVOCATION_MS = 30_000;
    /** Past the point where a handler that was told to stop is waited for; well before Lambda's timeout. */
    const AFTER_GRACE_MS = 29_600;
    /** From there: past every lease that the invocation took. */
    const PAST_LEASES_MS = 2_000;

    it('is handed back alone, before the timeout of Lambda', async () => {
      const b = bench(makeStore);
      const handler: RecordHandler = ({ id }) => (id === 'hung' ? forever() : 'done');
      const answer = b.processor(handler)(messages('before', 'hung', 'after'), b.lambda(INVOCATION_MS));
      await Promise.all([b.told('started', 'hung'), b.told('succeeded', 'after')]);
      await b.clock.advance(AFTER_GRACE_MS);
      expect(failed(await answer)).toEqual(['hung']);
      expect((await b.claim('before'))?.status).toBe('COMPLETED');
      expect((await b.claim('after'))?.status).toBe('COMPLETED');
      // Nobody knows whether its effect is done: until its lease is over it belongs to the one that hangs.
      expect((await b.claim('hung'))?.status).toBe('IN_PROGRESS');
      expect(b.typesOf('hung')).toEqual(['claimed', 'started', 'abandoned']);
    });

    it('leaves nothing unsaid when all slots hang: each is handed back, and those that waited are released', async () => {
      const b = bench(makeStore);
      const answer = b.processor(forever, { concurrency: 2 })(messages(...ids(5)), b.lambda(INVOCATION_MS));
      await b.told('started', 'r1');
      await b.clock.advance(AFTER_GRACE_MS);
      expect(failed(await answer)).toEqual(ids(5));
      const rows = await Promise.all(ids(5).map((id) => b.claim(id)));
      expect(rows.map((row) => row?.status)).toEqual([
        'IN_PROGRESS',
        'IN_PROGRESS',
        'FAILED',
        'FAILED',
        'FAILED',
      ]);
      expect(rows.map((row) => row?.releases)).toEqual([0, 0, 1, 1, 1]);
    });

    it('keeps its claim against a redelivery while its lease is live', async () => {
      const b = bench(makeStore);
      await thawable(b);
      expect(await b.run(succeeds, ['hung'])).toEqual(['hung']);
      expect(b.typesOf('hung').at(-1)).toBe('conflict');
    });

    it('settles, thawed, what is still its own: the redelivery is a duplicate', async () => {
      const b = bench(makeStore);
      const end = await thawable(b);
      end.resolve('late');
      await until(async () => (await b.claim('hung'))?.status === 'COMPLETED');
      expect((await b.claim('hung'))?.result).toBe('"late"');

      await b.clock.advance(PAST_LEASES_MS);
      expect(await b.run(fails, ['hung'])).toEqual([]);
      expect(b.typesOf('hung').slice(-2)).toEqual(['settling', 'duplicate']);
    });

    it('settles, thawed, a late failure of its own: the redelivery need not wait for the lease', async () => {
      const b = bench(makeStore);
      const end = await thawable(b);
      end.reject(new Error('connection closed'));
      await until(async () => (await b.claim('hung'))?.status === 'FAILED');
      expect((await b.claim('hung'))?.error).toMatchObject({ code: 'BATCHLATCH_DEADLINE' });

      expect(await b.run(succeeds, ['hung'])).toEqual([]);
      expect(await b.claim('hung')).toMatchObject({ status: 'COMPLETED', attempt: 2, crashes: 0 });
    });

    it('settles, thawed, what is past its lease and nobody took over', async () => {
      const b = bench(makeStore);
      const end = await thawable(b);
      await b.clock.advance(PAST_LEASES_MS);
      end.resolve('late');
      await until(async () => (await b.claim('hung'))?.status === 'COMPLETED');
    });

    it('loses, thawed, what another attempt has completed', async () => {
      const b = bench(makeStore);
      const end = await thawable(b);
      await b.clock.advance(PAST_LEASES_MS);
      expect(await b.run(() => 'second', ['hung'])).toEqual([]);

      end.resolve('late');
      await b.told('leaseLost', 'hung');
      expect(b.eventsOf('leaseLost')).toMatchObject([{ recordId: 'hung', attempt: 1, effectDone: true }]);
      expect(await b.claim('hung')).toMatchObject({ status: 'COMPLETED', result: '"second"', attempt: 3 });
    });

    it.each<[string, (end: Deferred<string>) => void, boolean]>([
      ['succeeds', (end) => end.resolve('late'), true],
      ['fails', (end) => end.reject(new Error('late')), false],
    ])(
      'disturbs, when it %s thawed, neither the attempt that took over nor its batch',
      async (_, finish, effectDone) => {
        const b = bench(makeStore);
        const end = await thawable(b);
        await b.clock.advance(PAST_LEASES_MS);

        const secondEnd = deferred<string>();
        const handler: RecordHandler = ({ id }) => (id === 'hung' ? secondEnd.promise : 'done');
        const second = b.processor(handler)(messages('hung', 'other'), b.lambda(INVOCATION_MS));
        await until(() => b.eventsOf('started').some(({ attempt }) => attempt === 3));
        finish(end);
        await b.told('leaseLost', 'hung');
        expect(b.eventsOf('leaseLost')).toMatchObject([{ recordId: 'hung', attempt: 1, effectDone }]);
        expect(await b.claim('hung')).toMatchObject({ status: 'IN_PROGRESS', attempt: 3 });

        secondEnd.resolve('second');
        expect(failed(await second)).toEqual([]);
        expect(await b.claim('hung')).toMatchObject({ status: 'COMPLETED', result: '"second"' });
      },
    );

    /** An invocation that has answered without its hung handler; what is returned ends that. */
    async function thawable(b: Bench): Promise<Deferred<string>> {
      const end = deferred<string>();
      const answer = b.processor(() => end.promise)(messages('hung'), b.lambda(INVOCATION_MS));
      await b.told('started', 'hung');
      await b.clock.advance(AFTER_GRACE_MS);
      expect(failed(await answer)).toEqual(['hung']);
      return end;
    }
  });
});

describe('B7: a store that hangs', () => {
  it('cannot hold the answer up while it is asked for claims', async () => {
    const b = bench((clock) => ({ ...memoryStore({ clock }), acquire: forever }));
    const answer = b.processor(succeeds)(messages('a', 'b'), b.lambda(30_000));
    await b.clock.advance(29_999);
    expect(failed(await answer)).toEqual(['a', 'b']);
  });

  it('cannot hold the answer up while it is asked to settle: what it has not confirmed is handed back', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        settle: (settlements) =>
          settlements.some(({ key }) => key.endsWith('stuck')) ? forever() : store.settle(settlements),
      };
    });
    const end = deferred();
    const handler: RecordHandler = ({ id }) => (id === 'stuck' ? end.promise : 'done');
    const answer = b.processor(handler)(messages('stored', 'stuck'), b.lambda(30_000));
    await b.clock.advance(1_000);
    end.resolve();
    await b.clock.advance(28_999);
    expect(failed(await answer)).toEqual(['stuck']);
  });

  it('starts nothing any more when its claims come after the answer, and gets them back', async () => {
    const gate = deferred();
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return { ...store, acquire: (requests) => gate.promise.then(() => store.acquire(requests)) };
    });
    const answer = b.processor(succeeds)(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_999);
    expect(failed(await answer)).toEqual(['a']);
    gate.resolve();
    await b.clock.advance(0);
    expect(b.eventsOf('started')).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
  });
});

describe('B7: a handler that ends after its batch, when the store cannot be reached', () => {
  it.each<[string, () => Promise<never>]>([
    ['rejects', () => Promise.reject(new Error('connection reset'))],
    ['rejects with what is no error', () => Promise.reject('connection reset')],
  ])('is told of as an effect whose completion is not stored: the store %s', async (_, settle) => {
    const b = bench((clock) => ({ ...memoryStore({ clock }), settle }));
    const end = deferred();
    const answer = b.processor(() => end.promise)(messages('hung'), b.lambda(3_000));
    await b.clock.advance(2_500);
    expect(failed(await answer)).toEqual(['hung']);
    end.resolve();
    await b.clock.advance(0);
    expect(b.eventsOf('settleFailed')).toMatchObject([{ recordId: 'hung', effectDone: true }]);
  });
});

describe('Handlers and observers that behave badly', () => {
  it('fails a record alone whose handler throws before it returns a promise', async () => {
    const b = bench();
    const handler: RecordHandler = ({ id }) => {
      if (id === 'throws') throw new Error('at once');
      return Promise.resolve('done');
    };
    expect(await b.run(handler, ['good', 'throws', 'fine'])).toEqual(['throws']);
    expect(await b.claim('throws')).toMatchObject({ status: 'FAILED', error: { message: 'at once' } });
  });

  it.each<[string, unknown, string]>([
    ['a text', 'out of stock', 'out of stock'],
    ['a number', 404, '404'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a symbol', Symbol('stop'), 'Symbol(stop)'],
    ['a big integer', 10n, '10'],
    ['an object', { status: 500 }, '{"status":500}'],
    ['an object without a prototype', Object.create(null), 'a value that cannot be shown as text'],
  ])('fails a record alone whose handler throws %s', async (_, thrown, message) => {
    const b = bench();
    const handler: RecordHandler = ({ id }) => {
      // oxlint-disable-next-line typescript/only-throw-error -- what users throw is theirs
      if (id === 'throws') throw thrown;
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      return id === 'rejects' ? Promise.reject(thrown) : 'done';
    };
    const batch = ['good', 'throws', 'rejects', 'fine'];
    expect(await b.run(handler, batch)).toEqual(['throws', 'rejects']);
    for (const id of ['throws', 'rejects']) {
      expect(await b.claim(id)).toMatchObject({ status: 'FAILED', error: { name: 'NonError', message } });
    }
    expect(b.eventsOf('failed').map(({ error }) => error)).toEqual([thrown, thrown]);
  });

  it.each<[string, () => unknown]>([
    ['an object whose code cannot be read', () => unreadable({}, 'code')],
    ['an error whose message cannot be read', () => unreadable(new Error('declined'), 'message')],
    ['a revoked proxy', revokedProxy],
  ])('fails a record alone whose handler throws what resists being looked at: %s', async (_, thrown) => {
    const b = bench();
    const handler: RecordHandler = ({ id }) => {
      if (id === 'throws') throw thrown();
    };
    expect(await b.run(handler, ['good', 'throws', 'fine'])).toEqual(['throws']);
    expect((await b.claim('throws'))?.status).toBe('FAILED');
    expect((await b.claim('fine'))?.status).toBe('COMPLETED');
  });

  function unreadable(value: object, member: string): object {
    return Object.defineProperty(value, member, {
      get() {
        throw new Error('not for you');
      },
    });
  }

  function revokedProxy(): unknown {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  }

  it('goes on when the observer throws at everything it is told', async () => {
    const b = bench();
    const observer = {
      onEvent() {
        throw new Error('no metrics today');
      },
    };
    const handler: RecordHandler = ({ id }) => {
      if (id === 'throws') throw new Error('declined');
    };
    expect(await b.run(handler, ['good', 'throws'], { observer })).toEqual(['throws']);
    expect((await b.claim('good'))?.status).toBe('COMPLETED');
  });

  it('goes on when the observer is asynchronous and rejects', async () => {
    const b = bench();
    const observer = {
      async onEvent() {
        throw new Error('no metrics today'); // unheard, it would end the process
      },
    };
    expect(await b.run(succeeds, ['good'], { observer })).toEqual([]);
    await b.clock.advance(0);
  });
});
