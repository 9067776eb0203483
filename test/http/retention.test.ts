import { describe, expect, it } from '@jest/globals';
import { type HttpIdempotencyOptions, withFetchIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';

const DAY_MS = 24 * 60 * 60 * 1_000;

function post(): Request {
  return new Request('https://api.example.com/payments', {
    method: 'POST',
    headers: { 'idempotency-key': 'k' },
    body: '{"amountCents":1}',
  });
}

/** A server on a store and a clock of its own; `charge` is its handler. */
function serving(members: Partial<HttpIdempotencyOptions<Request>>) {
  const clock = manualClock();
  const store = memoryStore({ clock });
  const open = (charge: () => Response | Promise<Response>) =>
    withFetchIdempotency(charge, {
      namespace: 'payments',
      scope: 'shared-by-all-callers',
      store,
      clock,
      ...members,
    });
  return { clock, open };
}

describe('retentionMs', () => {
  it.each<[string, HttpIdempotencyOptions<Request>['retentionMs'], number]>([
    ['90 days', 60_000, 90 * DAY_MS],
    ['its own retention', { parked: 7 * DAY_MS }, 7 * DAY_MS],
  ])(
    'a key whose request died and is parked may be used again after %s',
    async (_what, retentionMs, parkedMs) => {
      const { clock, open } = serving({
        onLapsedLease: 'park',
        leaseMs: 1_000,
        ...(retentionMs !== undefined && { retentionMs }),
      });
      void open(() => new Promise(() => undefined))(post());
      await clock.advance(1_000);
      const handler = open(() => new Response('charged'));
      expect((await handler(post())).status).toBe(409);
      await clock.advance(parkedMs - 1);
      expect((await handler(post())).status).toBe(409);
      await clock.advance(1);
      expect(await (await handler(post())).text()).toBe('charged');
    },
  );

  it.each(['a response', 'a response that is too large'])(
    '%s is remembered for `completed`',
    async (what) => {
      const { clock, open } = serving({
        ...(what !== 'a response' && { maxResponseBytes: 10 }),
        retentionMs: { completed: 2 * DAY_MS, failed: 1_000, parked: 1_000 },
      });
      let charges = 0;
      const handler = open(() => new Response(`charge ${(charges += 1)}`));
      await handler(post());
      await clock.advance(2 * DAY_MS - 1);
      expect((await handler(post())).status).toBe(what === 'a response' ? 200 : 410);
      await clock.advance(1);
      expect(await (await handler(post())).text()).toBe('charge 2');
    },
  );

  it.each([
    ['completed', 999],
    ['failed', 1.5],
    ['parked', '90 days'],
  ])('names the member that is wrong: %s', (name, value) => {
    const retentionMs = { [name]: value } as never;
    expect(() => serving({ retentionMs }).open(() => new Response())).toThrow(
      `Expected \`retentionMs.${name}\` to be an integer from 1000 up, got \``,
    );
  });
});
