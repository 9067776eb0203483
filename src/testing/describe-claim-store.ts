import type { ClaimAdmin } from '../claims/claim-admin.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { aFunction, anObject, aString, checkOptionsOf, required } from '../options/check-options.ts';
import { describeAcquire, describeInspect } from './contract/acquire.ts';
import { describeAdopt } from './contract/adopt.ts';
import { type CommitSubject, describeCommit } from './contract/commit.ts';
import { describeExtend, describeStart } from './contract/lease.ts';
import { describeList } from './contract/list.ts';
import { describeLateOwner, describeSettle } from './contract/settle.ts';
import { describeNewer, type RowsSubject } from './contract/newer.ts';
import { describeOperate } from './contract/operate.ts';
import { describeOperateRaces } from './contract/operate-races.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { bench, type Contract } from './store-bench.ts';

/** The functions `describe` and `it` of jest, vitest, mocha or node:test. */
export interface TestRunner {
  /**
   * Defines a group of tests.
   *
   * @param name The subject of the tests.
   * @param body The function that defines the tests.
   */
  readonly describe: (name: string, body: () => void) => void;
  /**
   * Defines a test.
   *
   * @param name The behavior that the test shows.
   * @param body The test.
   */
  readonly it: (name: string, body: () => Promise<void>) => void;
}

/** A store under test. */
export interface ClaimStoreSubject {
  /** The name of the store in test titles. */
  readonly name: string;
  /**
   * Creates a store with the given clock, over a table in which nothing else uses the same keys.
   *
   * @param clock The clock that the test advances.
   */
  readonly create: (clock: ManualClock) => ClaimStore | Promise<ClaimStore>;
  /**
   * Creates the admin of the same claims. Without it, the cases about changes by people are skipped.
   *
   * @param clock The clock that the test advances.
   * @param store The store that `create` returned.
   */
  readonly admin?: (clock: ManualClock, store: ClaimStore) => ClaimAdmin | Promise<ClaimAdmin>;
  /** Effects for stores with `commit`. Without them, the cases about `commit` are skipped. */
  readonly commit?: CommitSubject;
  /** Direct access to rows. Without it, the cases about rows of a newer version are skipped. */
  readonly rows?: RowsSubject;
}

/**
 * Defines tests of the `ClaimStore` contract, for this package's stores and your own. Each case uses unique
 * keys, so all of them can share a table.
 *
 * @param subject The store, and how to create it.
 * @param runner The test functions. Default: the globals `describe` and `it`.
 * @throws `ConfigurationError` for an unknown, missing or invalid member.
 *
 * @example
 * describeClaimStore({ name: 'myStore', create: (clock) => myStore({ clock }) });
 */
export function describeClaimStore(
  subject: ClaimStoreSubject,
  runner: TestRunner = globalThis as unknown as TestRunner,
): void {
  checkOptionsOf('describeClaimStore', subject, {
    name: required(aString()),
    create: required(aFunction()),
    admin: aFunction(),
    commit: anObject(),
    rows: anObject(),
  });
  const { name, create, admin, commit, rows } = subject;
  const { describe, it } = runner;

  /** Defines a test with a store, a manual clock, and builders for unique keys. */
  const contract: Contract = (sentence, body) => {
    it(sentence, async () => {
      const clock = manualClock();
      const store = await create(clock);
      await body(bench(store, await admin?.(clock, store), clock));
    });
  };

  describe(`${name} keeps the contract of a claim store`, () => {
    describe('acquire', () => describeAcquire(contract));
    describe('settle', () => describeSettle(contract));
    describe('a late owner', () => describeLateOwner(contract));
    describe('extend', () => describeExtend(contract));
    describe('start, where the store has it', () => describeStart(contract));
    if (commit !== undefined) describe('commit', () => describeCommit(commit, contract));
    describe('inspect', () => describeInspect(contract));
    describe('what people change, where the store has an admin', () => describeOperate(contract));
    describe('people at the same time as others', () => describeOperateRaces(contract));
    describe('adopt, where the admin has it', () => describeAdopt(contract));
    describe('list and count, where the store has an admin', () => describeList(contract));
    if (rows !== undefined) {
      describe('the rows of a newer version', () => describeNewer(rows, commit, contract));
    }
  });
}
