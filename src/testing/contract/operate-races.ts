import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OperateOutcome, OperationKind } from '../../claims/claim-admin.ts';
import { type Contract, KINDS, LEASE_MS, ofAdmin, parked, statusesOf } from '../store-bench.ts';

export function describeOperateRaces(base: Contract): void {
  const contract = ofAdmin(base);

  contract('lets exactly one of 20 people change a claim that all of them saw', async (bench) => {
    const { change, admin, stored } = bench;
    for (const kinds of [KINDS, ['forget'] as const]) {
      const name = `contended-${kinds.length}`;
      await parked(bench, name);
      const seen = await stored(name);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const kind = kinds[index % kinds.length] as OperationKind;
          const [outcome] = await admin.change([change(kind, seen)]);
          return outcome as OperateOutcome;
        }),
      );
      assert.deepEqual(statusesOf(outcomes).toSorted(), ['done', ...Array(19).fill('refused')]);
    }
  });

  contract('never comes through beside a settlement of the attempt that held the claim', async (bench) => {
    const { acquire, change, complete, admin, stored, clock } = bench;
    for (const kind of KINDS) {
      await acquire(kind, { owner: 'me' });
      await clock.advance(LEASE_MS);
      const seen = await stored(kind);
      const [[changed], settled] = await Promise.all([
        admin.change([change(kind, seen)]),
        complete(kind, 'me', { result: '"mine"' }),
      ]);
      assert.equal(changed?.status === 'done', settled === 'lost');
    }
  });

  contract('never comes through beside another attempt that takes the claim over', async (bench) => {
    const { acquire, change, admin, stored, clock } = bench;
    for (const kind of ['resolve', 'park'] as const) {
      await acquire(kind, { owner: 'late' });
      await clock.advance(LEASE_MS);
      const seen = await stored(kind);
      const [[changed], taken] = await Promise.all([
        admin.change([change(kind, seen)]),
        acquire(kind, { owner: randomUUID() }),
      ]);
      assert.equal(changed?.status === 'done', taken.status !== 'acquired');
    }
  });
}
