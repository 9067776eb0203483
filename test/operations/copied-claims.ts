import type { StoreAndAdmin } from '../support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type Claim, copyClaims, eachClaim } from 'batchlatch/operations';
import { claimRequest, RETENTION_MS, settlementOf } from '../support/claim-builders.ts';

/** Copies between any two of these stores. */
export function describeCopies(stores: Readonly<Record<string, () => StoreAndAdmin>>): void {
  const pairs = Object.keys(stores).flatMap((from) =>
    Object.keys(stores).flatMap((to) => (from === to ? [] : [[from, to] as const])),
  );
  it.each(pairs)('copies claims of every state from %s to %s, as they are', async (from, to) => {
    const [source, target] = [from, to].map((name) => stores[name]?.()) as [StoreAndAdmin, StoreAndAdmin];
    const prefix = randomUUID();
    const keys = await claimsOfEveryState(source, prefix);
    const before = await claimsIn(source, prefix);

    const copy = await copyClaims(source, target, { keyPrefix: prefix });
    expect(copy).toMatchObject({ copied: keys.length, present: 0, running: 1, failed: 0, isWhole: true });
    expect(comparable(await claimsIn(target, prefix))).toEqual(comparable(before));
    expect(comparable(await claimsIn(source, prefix))).toEqual(comparable(before));
    const again = await copyClaims(source, target, { keyPrefix: prefix });
    expect(again).toMatchObject({ copied: 0, present: keys.length });
  });
}

/** Claims of every state under one prefix; their keys. */
async function claimsOfEveryState(store: StoreAndAdmin, prefix: string): Promise<string[]> {
  const requests = ['complete', 'fail', 'park', 'release', 'running', 'changed'].map((name) =>
    claimRequest(`${prefix}#${name}`, { payloadHash: 'hash', lockedBy: 'f 1 r', recordId: `m-${name}` }),
  );
  await store.acquire(requests);
  const [complete, fail, park, release, , changed] = requests;
  await store.settle([
    settlementOf('complete', complete as never, '{"n":"é"}'),
    settlementOf('fail', fail as never),
    settlementOf('park', park as never),
    settlementOf('release', release as never),
    settlementOf('park', changed as never),
  ]);
  const [seen] = await claimsIn(store, `${prefix}#changed`);
  const { key, status, owner, attempt } = seen as Claim;
  const by = { operator: 'pat', reason: 'fixed', retentionMs: RETENTION_MS };
  const operation = 'release';
  const operate = { ...by, operation, key, seen: { status, owner, attempt }, owner: `o-${prefix}` } as const;
  expect(await store.change([operate])).toMatchObject([{ status: 'done' }]);
  return requests.map((request) => request.key);
}

/** All claims under a prefix, in the order of their keys. */
async function claimsIn(store: StoreAndAdmin, keyPrefix: string): Promise<Claim[]> {
  const claims: Claim[] = [];
  for await (const claim of eachClaim(store, { keyPrefix })) claims.push(claim);
  return claims.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

/** As every store keeps it: of an ended claim its lease means nothing, and whole seconds are all that a TTL holds. */
function comparable(claims: readonly Claim[]): unknown[] {
  return claims.map(({ expiresAt, leaseUntil, ...claim }) => ({
    ...claim,
    expiresAt: expiresAt === undefined ? undefined : Math.ceil(expiresAt / 1_000),
    leaseUntil: claim.status === 'IN_PROGRESS' ? leaseUntil : undefined,
  }));
}
