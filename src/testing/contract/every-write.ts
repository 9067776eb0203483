import type { Settlement } from '../../claims/claim-store.ts';
import { type Bench, ERROR, LEASE_MS, RETENTION_MS } from '../store-bench.ts';

/** Tries every write that an owner may make, and gives what became of each. */
export async function everyWrite({ store, key }: Bench, name: string, owner: string): Promise<unknown[]> {
  const common = { key: key(name), owner, retentionMs: RETENTION_MS };
  const writes: Settlement[] = [
    { ...common, end: 'complete', result: '"late"' },
    { ...common, end: 'fail', error: ERROR },
    { ...common, end: 'park', error: ERROR },
    { ...common, end: 'release', releases: 0 },
  ];
  const outcomes: unknown[] = [];
  for (const write of writes) outcomes.push(...(await store.settle([write])));
  outcomes.push(...(await store.extend([{ ...common, leaseMs: LEASE_MS }])));
  return outcomes;
}
