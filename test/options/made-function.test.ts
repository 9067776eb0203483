import { expect, it } from '@jest/globals';
import { withIdempotencyContext } from 'batchlatch/functions';
import { withFetchIdempotencyContext, withHttpIdempotencyContext } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext } from 'batchlatch/testing';

const asked = { 'idempotency-key': 'k1' };
const http = { namespace: 'http', scope: () => 'ann' };

/** Calls a wrapper whose first argument is the work itself, where a function that makes it belongs. */
const calls: [string, (work: never) => Promise<unknown>][] = [
  [
    'withIdempotencyContext',
    (work) =>
      withIdempotencyContext(work, { namespace: 'f', key: () => 'k', store: memoryStore() })(
        'order' as never,
      ),
  ],
  [
    'withFetchIdempotencyContext',
    (work) =>
      withFetchIdempotencyContext(work, { ...http, store: memoryStore() })(
        new Request('http://a.test/', { method: 'POST', headers: asked }),
      ),
  ],
  [
    'withHttpIdempotencyContext',
    (work) =>
      withHttpIdempotencyContext(work, { ...http, store: memoryStore() })(
        { rawPath: '/', headers: asked, requestContext: { http: { method: 'POST' } } } as never,
        lambdaContext(),
      ),
  ],
];

it.each(calls)('%s says that it takes a function that returns one', async (_, call) => {
  const why = 'Expected the first argument to return a function, as `(context) => async (…) => …` does, got ';
  const rejected: unknown[] = [];
  const note = (reason: unknown): void => void rejected.push(reason);
  process.on('unhandledRejection', note);
  try {
    const failing = async (): Promise<never> => Promise.reject(new Error('no order'));
    for (const [work, got] of [
      [failing, 'a promise'],
      [() => ({ id: 1 }), 'object'],
    ] as const) {
      await expect(call(work as never)).rejects.toMatchObject({
        code: 'BATCHLATCH_CONFIGURATION',
        message: why + got,
      });
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(rejected).toEqual([]);
});
