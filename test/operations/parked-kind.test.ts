import { randomUUID } from 'node:crypto';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { type BatchProcessorOptions, createBatchProcessor, PermanentError } from 'batchlatch';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { type IdempotencyOptions, withIdempotency } from 'batchlatch/functions';
import { type HttpIdempotencyOptions, withFetchIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import {
  type Claim,
  claimJson,
  claimStatistics,
  eachClaim,
  forgetClaim,
  inspectClaim,
  listClaims,
  parkClaim,
  type ParkedKind,
  parkedKindOf,
  releaseClaim,
} from 'batchlatch/operations';
import { lambdaContext, type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';
import { inDynamoDB, type StoreAndAdmin } from '../support/store-and-admin.ts';

const BY = { operator: 'pat@laptop', reason: 'asked the bank' };
const KINDS = ['lapsed', 'failed', 'attempts', 'done'] as const satisfies ParkedKind[];

/** A store, and the ways in which its claims come to be parked. */
class Shop {
  readonly store: StoreAndAdmin;
  readonly clock: ManualClock;

  constructor(store: StoreAndAdmin, clock: ManualClock) {
    this.store = store;
    this.clock = clock;
  }

  /** Leaves the key of a record as a process leaves it that dies. */
  async die(id: string): Promise<void> {
    const owner = randomUUID();
    await this.store.acquire([{ key: `shop#v1:${id}`, owner, leaseMs: 1_000, retentionMs: 3_600_000 }]);
    await this.clock.advance(1_000);
  }

  /** Processes a record, and returns its claim. */
  async process(id: string, handler: () => unknown, options: BatchProcessorOptions = {}): Promise<Claim> {
    const { store, clock } = this;
    const processor = createBatchProcessor(handler, { namespace: 'shop', store, clock, ...options });
    await processor(sqsEvent([{ messageId: id, body: '{}' }]), lambdaContext({ clock }));
    return this.claim(`shop#v1:${id}`);
  }

  /** Calls a function with an id. */
  call(
    id: string,
    effect: () => Promise<unknown>,
    options: Partial<IdempotencyOptions<[string]>> = {},
  ): Promise<unknown> {
    const { store, clock } = this;
    const shared = { namespace: 'calls', key: (one: string): string => one, store, clock };
    return withIdempotency((_id: string) => effect(), { ...shared, ...options })(id);
  }

  /** Requests a payment by HTTP. */
  request(
    id: string,
    handler: () => Response | Promise<Response>,
    options: Partial<HttpIdempotencyOptions<Request>> = {},
  ): Promise<Response> {
    const { store, clock } = this;
    const shared = { namespace: 'payments', scope: 'shared-by-all-callers' as const, store, clock };
    const request = new Request('https://api.example.com/payments', {
      method: 'POST',
      headers: { 'idempotency-key': id },
      body: '{}',
    });
    return withFetchIdempotency(handler, { ...shared, ...options })(request);
  }

  async claim(key: string): Promise<Claim> {
    const claim = await inspectClaim(this.store, key);
    if (claim === undefined) throw new Error(`There is no claim of ${key}`);
    return claim;
  }

  /** The only parked claim. */
  async parked(): Promise<Claim> {
    const { claims } = await listClaims(this.store, { state: 'parked' });
    expect(claims).toHaveLength(1);
    return claims[0] as Claim;
  }
}

const declined = (): never => {
  throw new Error('the card was declined');
};
const unknownProduct = (): never => {
  throw new PermanentError('no such product');
};
const forever = (): Promise<never> => new Promise(() => undefined);

/** Each way in which a claim is parked, and the kind that it then has. */
const WAYS: readonly (readonly [kind: ParkedKind, way: string, (shop: Shop) => Promise<unknown>])[] = [
  [
    'lapsed',
    "a record whose process died, with onLapsedLease: 'park'",
    async (shop) => {
      await shop.die('a');
      await shop.process('a', () => 'done', { onLapsedLease: 'park' });
    },
  ],
  [
    'lapsed',
    "a call whose process died, with onLapsedLease: 'park'",
    async (shop) => {
      const options = { onLapsedLease: 'park', leaseMs: 1_000, heartbeat: false } as const;
      void shop.call('a', forever, options);
      await started(shop);
      await shop.clock.advance(1_000);
      await expect(shop.call('a', async () => 'done', options)).rejects.toMatchObject({
        cause: { code: 'BATCHLATCH_LAPSED_LEASE' },
      });
    },
  ],
  [
    'lapsed',
    "a request whose process died, with onLapsedLease: 'park'",
    async (shop) => {
      const options = { onLapsedLease: 'park', leaseMs: 1_000 } as const;
      void shop.request('a', forever, options);
      await started(shop);
      await shop.clock.advance(1_000);
      expect((await shop.request('a', () => new Response('charged'), options)).status).toBe(409);
    },
  ],
  [
    'lapsed',
    'a request whose handler returned no response',
    async (shop) => {
      await shop.request('a', () => ({}) as Response, { onError: () => undefined }).catch(() => undefined);
    },
  ],
  ['failed', 'a record that failed for good', (shop) => shop.process('a', unknownProduct)],
  [
    'failed',
    'a record that is not retryable',
    (shop) => shop.process('a', declined, { retryable: () => false }),
  ],
  [
    'failed',
    'a record that failed at its last attempt',
    (shop) => shop.process('a', declined, { maxAttempts: 1 }),
  ],
  [
    'failed',
    'a call that failed for good',
    async (shop) => {
      await expect(shop.call('a', async () => unknownProduct())).rejects.toThrow('no such product');
    },
  ],
  [
    'attempts',
    'a record that crashed too often',
    async (shop) => {
      await shop.die('a');
      await shop.process('a', () => 'done', { maxCrashes: 1 });
    },
  ],
  [
    'attempts',
    'a record whose attempts are used up by crashes',
    async (shop) => {
      await shop.die('a');
      await shop.process('a', () => 'done', { maxAttempts: 1 });
    },
  ],
  [
    'done',
    'a call whose result JSON cannot hold',
    async (shop) => {
      await shop.call('a', async () => 1n).catch(() => undefined);
    },
  ],
  [
    'done',
    'a request whose response is too large to keep',
    async (shop) => {
      await shop.request('a', () => new Response('x'.repeat(100)), { maxResponseBytes: 10 });
    },
  ],
];

/** Waits until the first claim is in the store. */
async function started({ store }: Shop): Promise<void> {
  const givesUpAt = performance.now() + 10_000;
  while ((await listClaims(store)).claims.every(({ started: hasStarted }) => hasStarted !== true)) {
    if (performance.now() > givesUpAt) throw new Error('Nothing was started');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

function onEachStore(cases: (open: () => Promise<Shop>) => void): void {
  describe('on memoryStore', () => {
    cases(async () => {
      const clock = manualClock(Date.now());
      return new Shop(memoryStore({ clock }), clock);
    });
  });
  describe('on DynamoDB', () => {
    const table = emulatedTable('dynoxide');
    cases(async () => {
      const clock = manualClock(Date.now());
      const client = table.newClient();
      const tableName = `claims-${randomUUID()}`;
      const definition = claimsTableDefinition(tableName, {}, { overdueIndex: true });
      await client.send(new CreateTableCommand(definition.table));
      return new Shop(inDynamoDB({ client, tableName, overdueIndex: true, clock }), clock);
    });
  });
}

onEachStore((open) => {
  describe('The kind of a parked claim', () => {
    it.each(WAYS)('is %s for %s', async (kind, _way, park) => {
      const shop = await open();
      await park(shop);
      const claim = await shop.parked();
      expect(parkedKindOf(claim)).toBe(kind);
      expect(claimJson(claim, shop.clock.now())).toMatchObject({ state: 'parked', parkedKind: kind });
      for (const parked of KINDS) {
        const { claims } = await listClaims(shop.store, { parked });
        expect(claims).toEqual(parked === kind ? [claim] : []);
      }
      const { counts, parkedKinds } = await claimStatistics(shop.store, { clock: shop.clock });
      expect(counts.parked).toBe(1);
      expect(parkedKinds).toEqual({ lapsed: 0, failed: 0, attempts: 0, done: 0, [kind]: 1 });
    });

    it('is kept when a person parks the claim again', async () => {
      const shop = await open();
      await shop.die('a');
      await shop.process('a', () => 'done', { onLapsedLease: 'park' });
      for (let times = 0; times < 3; times += 1) await parkClaim(shop.store, await shop.parked(), BY);
      const claim = await shop.parked();
      expect(claim.error?.name).toBe('ParkedByOperator');
      expect(parkedKindOf(claim)).toBe('lapsed');
    });

    it('is `lapsed` for an overdue claim that a person parked', async () => {
      const shop = await open();
      await shop.die('a');
      await parkClaim(shop.store, await shop.claim('shop#v1:a'), BY);
      expect(parkedKindOf(await shop.parked())).toBe('lapsed');
    });

    it('is `failed` for a failed claim that a person parked', async () => {
      const shop = await open();
      await parkClaim(shop.store, await shop.process('a', declined), BY);
      expect(parkedKindOf(await shop.parked())).toBe('failed');
    });

    it('is `done` for a completed claim that a person parked', async () => {
      const shop = await open();
      const claim = await shop.process('a', () => 'done');
      await parkClaim(shop.store, claim, { ...BY, force: true });
      expect(parkedKindOf(await shop.parked())).toBe('done');
    });

    it('is that of the last time it was parked, not of one before its release', async () => {
      const shop = await open();
      await shop.die('a');
      await parkClaim(shop.store, await shop.claim('shop#v1:a'), BY);
      await releaseClaim(shop.store, await shop.parked(), BY);
      await shop.process('a', unknownProduct);
      expect(parkedKindOf(await shop.parked())).toBe('failed');
      await parkClaim(shop.store, await shop.parked(), BY);
      expect(parkedKindOf(await shop.parked())).toBe('failed');
    });

    it('is nothing for a claim that is not parked', async () => {
      const shop = await open();
      await shop.die('a');
      const overdue = await shop.claim('shop#v1:a');
      expect(parkedKindOf(overdue)).toBeUndefined();
      await forgetClaim(shop.store, overdue, BY);
      expect(parkedKindOf(await shop.process('a', declined))).toBeUndefined();
      expect(parkedKindOf(await shop.process('b', () => 'done'))).toBeUndefined();
    });
  });
});

describe('The kind of a parked row', () => {
  it('is `lapsed` where the row has no readable error: nobody knows whether its work was done', () => {
    expect(parkedKindOf({ status: 'PARKED' })).toBe('lapsed');
  });

  it('is told by the code of its error, not by the name or message', () => {
    const error = { name: 'Error', message: '' };
    expect(parkedKindOf({ status: 'PARKED', error: { ...error, code: 'BATCHLATCH_LAPSED_LEASE' } })).toBe(
      'lapsed',
    );
    const words = { name: 'LapsedLeaseError', message: 'The lease of the last attempt lapsed' };
    expect(parkedKindOf({ status: 'PARKED', error: words })).toBe('failed');
    expect(parkedKindOf({ status: 'PARKED', error: { ...error, code: 'constructor' } })).toBe('failed');
  });

  it('does not depend on damaged entries of its history', () => {
    const error = { name: 'Error', message: '', code: 'BATCHLATCH_TOO_MANY_CRASHES' };
    const history = [null, { operation: 'park' }, 1] as never;
    expect(parkedKindOf({ status: 'PARKED', error, history })).toBe('attempts');
  });
});

describe('listClaims({ parked })', () => {
  const admin = memoryStore();

  it('refuses a kind that does not exist', async () => {
    await expect(listClaims(admin, { parked: 'lost' as never })).rejects.toMatchObject({
      code: 'BATCHLATCH_CONFIGURATION',
      message: 'Expected `parked` to be one of lapsed, failed, attempts, done, got `lost`',
    });
  });

  it('refuses another state', async () => {
    await expect(listClaims(admin, { parked: 'lapsed', state: 'failed' })).rejects.toMatchObject({
      code: 'BATCHLATCH_CONFIGURATION',
      message: "Expected `parked` without `state`, or with `state: 'parked'`, got `failed`",
    });
  });

  it('pages through all parked claims, and gives those of the kind', async () => {
    const clock = manualClock();
    const shop = new Shop(memoryStore({ clock }), clock);
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await shop.die(id);
      if (id < 'd') await shop.process(id, () => 'done', { onLapsedLease: 'park' });
      else await shop.process(id, unknownProduct);
    }
    const keys: string[] = [];
    for await (const { key } of eachClaim(shop.store, { parked: 'lapsed', limit: 1 })) keys.push(key);
    expect(keys.toSorted()).toEqual(['shop#v1:a', 'shop#v1:b', 'shop#v1:c']);
    const both = await listClaims(shop.store, { parked: 'failed', state: 'parked', keyPrefix: 'shop#v1:e' });
    expect(both.claims.map(({ key }) => key)).toEqual(['shop#v1:e']);
  });
});
