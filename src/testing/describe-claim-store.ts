import type { ClaimAdmin } from '../claims/claim-admin.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { aFunction, anObject, aString, required } from '../options/check-options.ts';
import { checkBuilderOptions } from './check-members.ts';
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

/** `describe` and `it` of jest, vitest, mocha or node:test. */
export interface TestRunner {
  /**
   * Groups tests.
   *
   * @param name What the tests are about.
   * @param body Defines the tests.
   */
  readonly describe: (name: string, body: () => void) => void;
  /**
   * Defines one test.
   *
   * @param name What the test shows.
   * @param body The test.
   */
  readonly it: (name: string, body: () => Promise<void>) => void;
}

/** The store that is tested. */
export interface ClaimStoreSubject {
  /** What the tests call the store. */
  readonly name: string;
  /**
   * Makes a store on the given clock, over an empty table, or one to which nothing else writes the same keys.
   *
   * @param clock The clock that the test advances.
   */
  readonly create: (clock: ManualClock) => ClaimStore | Promise<ClaimStore>;
  /**
   * Makes the admin of the same claims, for stores that have one. The cases about what people do run only with it.
   *
   * @param clock The clock that the test advances.
   * @param store What `create` has made.
   */
  readonly admin?: (clock: ManualClock, store: ClaimStore) => ClaimAdmin | Promise<ClaimAdmin>;
  /** Effects for stores with `commit`, whose cases run only with these. */
  readonly commit?: CommitSubject;
  /** The rows past the store. The cases about rows that a newer version wrote run only with these. */
  readonly rows?: RowsSubject;
}

/**
 * The contract of `ClaimStore` as tests, for this package's stores and your own. Every case makes keys
 * of its own, so one table serves all of them.
 *
 * @param subject The store, and how it is made.
 * @param runner Default: the globals `describe` and `it`.
 * @throws `ConfigurationError` for a member that is unknown, missing or impossible.
 *
 * @example
 * describeClaimStore({ name: 'myStore', create: (clock) => myStore({ clock }) });
 */
export function describeClaimStore(
  subject: ClaimStoreSubject,
  runner: TestRunner = globalThis as unknown as TestRunner,
): void {
  checkBuilderOptions('describeClaimStore', subject, {
    name: required(aString()),
    create: required(aFunction()),
    admin: aFunction(),
    commit: anObject(),
    rows: anObject(),
  });
  const { name, create, admin, commit, rows } = subject;
  const { describe, it } = runner;

  /** A test with a store, a clock that stands still, and builders for unique keys. */
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
