import { describe, expect, it } from '@jest/globals';
import { type CallContext, type IdempotencyOptions, withIdempotencyContext } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { gate } from './gate.ts';

type Look = (signal: AbortSignal) => unknown;

/** Looks at the signal when it has been aborted. */
const AFTER: readonly [what: string, look: Look][] = [
  ['read `signal.aborted`', (signal) => signal.aborted],
  ['called throwIfAborted', (signal) => [() => signal.throwIfAborted()].map(caught)],
  ['derived a signal late', (signal) => AbortSignal.any([signal])],
];

/** Prepares for the abort before the work begins. */
const BEFORE: readonly [what: string, look: Look][] = [
  ['had a listener', (signal) => signal.addEventListener('abort', () => undefined)],
  ['had set onabort', (signal) => Object.assign(signal, { onabort: () => undefined })],
  [
    'listened to a signal it derived',
    (signal) =>
      AbortSignal.any([signal, new AbortController().signal]).addEventListener('abort', () => undefined),
  ],
];

describe('a function whose lease is lost while it runs', () => {
  it.each([
    ...AFTER.map(([what, after]) => ({ what, after })),
    ...BEFORE.map(([what, before]) => ({ what, before })),
  ])('is not completed when it $what and returned', async (looks) => {
    const { call, store } = await overrunning({ ...looks, returns: 'half of it' });
    await expect(call).rejects.toMatchObject({
      name: 'InterruptedError',
      code: 'BATCHLATCH_INTERRUPTED',
      message: expect.stringMatching(/work may be half done.*context\.done\(\)/s),
      cause: { code: 'BATCHLATCH_LEASE_LOST' },
    });
    expect(await store.inspect(KEY)).toMatchObject({
      status: 'FAILED',
      error: { code: 'BATCHLATCH_INTERRUPTED' },
    });
  });

  it('runs again afterwards, and completes', async () => {
    const { call, runOnce } = await overrunning({ after: (signal) => signal.aborted, returns: 'half of it' });
    await expect(call).rejects.toMatchObject({ code: 'BATCHLATCH_INTERRUPTED' });
    expect(await runOnce('1')).toBe('all of it');
    expect(await runOnce('1')).toBe('all of it');
  });

  it('is completed when it says that it is done all the same', async () => {
    const { call, runOnce } = await overrunning({
      after: (signal, context) => signal.aborted && context.done(),
      returns: 'finished',
    });
    expect(await call).toBe('finished');
    expect(await runOnce('1')).toBe('finished');
  });

  it('is completed when it never learnt of the abort', async () => {
    const { call, runOnce } = await overrunning({
      before: (signal) => signal.throwIfAborted(),
      returns: 'finished',
    });
    expect(await call).toBe('finished');
    expect(await runOnce('1')).toBe('finished');
  });

  it('does not give what the abort made it throw to later callers, although failures are answers', async () => {
    const { call, runOnce } = await overrunning(
      { after: (signal) => signal.throwIfAborted(), returns: 'never' },
      { replayFailures: true },
    );
    await expect(call).rejects.toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
    expect(await runOnce('1')).toBe('all of it');
  });

  it('is no answer to later callers when it returned half-way, although failures are answers', async () => {
    const { call, runOnce } = await overrunning(
      { after: (signal) => signal.aborted, returns: 'half of it' },
      { replayFailures: true, retryable: () => false },
    );
    await expect(call).rejects.toMatchObject({ code: 'BATCHLATCH_INTERRUPTED' });
    expect(await runOnce('1')).toBe('all of it');
  });

  it('parks the key when that was the last of maxAttempts', async () => {
    const { call, runOnce } = await overrunning(
      { after: (signal) => signal.aborted, returns: 'half of it' },
      { maxAttempts: 1 },
    );
    await expect(call).rejects.toMatchObject({ code: 'BATCHLATCH_INTERRUPTED' });
    await expect(runOnce('1')).rejects.toMatchObject({
      code: 'BATCHLATCH_PARKED',
      cause: { code: 'BATCHLATCH_INTERRUPTED' },
    });
  });
});

const KEY = 'once#function-v1:1';

/** The first call overruns its lease and then returns; later ones do all of it. */
async function overrunning(
  {
    before,
    after,
    returns,
  }: {
    readonly before?: (signal: AbortSignal, context: CallContext) => unknown;
    readonly after?: (signal: AbortSignal, context: CallContext) => unknown;
    readonly returns: string;
  },
  options: Partial<IdempotencyOptions<[string]>> = {},
) {
  const clock = manualClock();
  const store = memoryStore({ clock });
  const running = gate();
  let attempts = 0;
  const runOnce = withIdempotencyContext(
    (context) => async (_id: string) => {
      attempts += 1;
      if (attempts > 1) return 'all of it';
      const kept = before?.(context.signal, context);
      await running.pass();
      after?.(context.signal, context);
      return [kept, returns].at(-1) as string;
    },
    { namespace: 'once', key: (id) => id, store, clock, ...options },
  );
  const call = runOnce('1');
  call.catch(() => undefined);
  await running.entered;
  await clock.advance(60_000);
  running.open();
  return { call, store, runOnce };
}

function caught(call: () => void): unknown {
  try {
    call();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}
