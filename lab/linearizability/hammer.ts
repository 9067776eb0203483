/**
 * A program: makes calls to a store about a few keys, one after the other, and writes down what it asked and what it was
 * answered. It is killed at random.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { AcquireOutcome, Claim, ClaimRequest, SettleOutcome, Settlement } from 'batchlatch';
import type { OperateOutcome, OperationKind } from 'batchlatch/operations';
import { seededRandom } from '../local/demo/seeded-random.ts';
import type { HammerSetup } from './hammer-setup.ts';
import { hammeredStore } from './hammered-store.ts';
import type { HistoryAnswer, HistoryRequest } from './history.ts';
import { recorder } from './recorder.ts';

const setup = JSON.parse(process.argv[2] ?? '') as HammerSetup;
const origin = BigInt(setup.origin);
const random = seededRandom(setup.seed);
const store = hammeredStore(setup);
const record = recorder(setup.logFile, origin);

/** How many keys there are at a time. */
const KEYS = 3;
/** After this time there are others: histories of a key stay short, and completed keys do not fill them. */
const KEYS_LAST_MS = 800;
const RETENTION_MS = 3_600_000;
const ERROR = { name: 'Error', message: 'card declined' };

/** A claim that this process has had, or may have. */
interface Held {
  readonly key: string;
  readonly owner: string;
  releases: number;
}

/** What it holds as far as it knows, and what it held, for calls of late owners. */
const held: Held[] = [];
const past: Held[] = [];
/** Asked for without an answer: the same owner may ask again. */
const unanswered: ClaimRequest[] = [];
let owners = 0;

process.on('disconnect', () => process.exit());
process.send?.('ready');
for (let call = 0; call < setup.calls; call += 1) {
  await nextCall();
  await pause();
}
process.exit();

function nextCall(): Promise<unknown> {
  const die = random.integer(100);
  if (die < 33) return acquire();
  if (die < 56) return settle(someOf(held));
  if (die < 66) return extend(someOf(held));
  if (die < 71) return start(someOf(held));
  if (die < 80) return random.integer(2) === 0 ? settle(someOf(past)) : extend(someOf(past));
  if (die < 88) return inspect(someKey());
  return operate(someKey());
}

/** Mostly none; now and then longer than a lease. */
async function pause(): Promise<void> {
  const die = random.integer(100);
  if (die < 50) return;
  await delay(die < 85 ? random.integer(5) : die < 95 ? random.integer(25) : random.integer(100));
}

function someKey(): string {
  const generation = Math.floor(Number(process.hrtime.bigint() - origin) / 1e6 / KEYS_LAST_MS);
  return `key-${generation}-${random.integer(KEYS)}`;
}

function someOf<Item>(items: readonly Item[]): Item | undefined {
  return items[random.integer(items.length)];
}

function newOwner(): string {
  return `${setup.client}.${(owners += 1)}`;
}

async function acquire(): Promise<void> {
  const again = random.integer(2) === 0 ? unanswered.pop() : undefined;
  const keys = new Set(again === undefined ? [someKey(), someKey()] : [again.key]);
  // Half of the pairs differ only in key and owner: stores write such groups by shorter statements.
  const common = random.integer(2) === 0 ? someTerms() : undefined;
  const requests = [...keys].map(
    (key): ClaimRequest => again ?? { key, owner: newOwner(), ...(common ?? someTerms()) },
  );
  const outcomes = await record<AcquireOutcome>(
    requests.map(({ key, owner, leaseMs, recordsStart = false }) => ({
      op: 'acquire',
      key,
      owner,
      leaseMs,
      recordsStart,
    })),
    () => store.acquire(requests),
    answerOfAcquire,
  );
  requests.forEach((request, index) => {
    const outcome = outcomes[index];
    const { key, owner } = request;
    if (outcome?.status === 'acquired') held.push({ key, owner, releases: outcome.releases });
    else if (outcome === undefined || outcome.status === 'error') unanswered.push(request);
  });
  while (held.length > 4) past.push(held.shift() as Held);
  past.splice(0, past.length - 4);
}

function someTerms(): Omit<ClaimRequest, 'key' | 'owner'> {
  return {
    leaseMs: 10 + random.integer(60),
    retentionMs: RETENTION_MS,
    isRedelivery: random.integer(2) === 0,
    recordsStart: random.integer(3) === 0,
  };
}

function answerOfAcquire(outcome: AcquireOutcome): HistoryAnswer | null {
  switch (outcome.status) {
    case 'duplicate':
      return { status: 'duplicate', result: outcome.result ?? '' };
    case 'parked':
      return { status: 'parked' };
    case 'error':
      return null;
    case 'acquired':
    case 'conflict':
    case 'mismatch':
      return outcome;
  }
}

async function settle(claim: Held | undefined): Promise<void> {
  if (claim === undefined) return acquire();
  const { key, owner, releases } = claim;
  const end = someOf(['complete', 'fail', 'fail', 'release', 'release', 'park'] as const) ?? 'release';
  const result = JSON.stringify(`of ${owner}`);
  const common = { key, owner, retentionMs: RETENTION_MS };
  const settlement: Settlement =
    end === 'complete'
      ? { ...common, end, result }
      : end === 'release'
        ? { ...common, end, releases }
        : { ...common, end, error: ERROR };
  const request = { op: 'settle', key, owner, end, releases, ...(end === 'complete' && { result }) } as const;
  await record([request], () => store.settle([settlement]), answerOfSettle);
  if (held.includes(claim)) past.push(...held.splice(held.indexOf(claim), 1));
}

async function extend(claim: Held | undefined): Promise<void> {
  if (claim === undefined) return acquire();
  const { key, owner } = claim;
  const leaseMs = 5 + random.integer(60);
  await record(
    [{ op: 'extend', key, owner, leaseMs }],
    () => store.extend([{ key, owner, leaseMs, retentionMs: RETENTION_MS }]),
    answerOfSettle,
  );
}

async function start(claim: Held | undefined): Promise<void> {
  if (claim === undefined) return acquire();
  const { key, owner } = claim;
  await record(
    [{ op: 'start', key, owner }],
    async () => (await store.start?.([claim])) ?? [],
    answerOfSettle,
  );
}

function answerOfSettle(outcome: SettleOutcome): HistoryAnswer | null {
  return typeof outcome === 'string' ? { status: outcome } : null;
}

async function inspect(key: string): Promise<Claim | undefined> {
  const [found] = await record(
    [{ op: 'inspect', key }],
    async () => [{ claim: await store.inspect(key) }],
    ({ claim }) => answerOfInspect(claim),
  );
  return found?.claim;
}

function answerOfInspect(claim: Claim | undefined): HistoryAnswer {
  if (claim === undefined) return { status: 'absent' };
  const { status, owner, attempt, releases, crashes, result = '', error, started = true, leaseUntil } = claim;
  return {
    status,
    owner,
    attempt,
    releases,
    crashes,
    result,
    hasError: error !== undefined,
    isStarted: started,
    ...(status === 'IN_PROGRESS' && { leaseUntil }),
  };
}

/** What a person does: looks at the claim, and then changes it. */
async function operate(key: string): Promise<void> {
  const seen = await inspect(key);
  if (seen === undefined) return;
  const kinds = ['release', 'release', 'resolve', 'park', 'forget'] as const;
  const operation: OperationKind = someOf(kinds) ?? 'release';
  const owner = newOwner();
  const force = random.integer(3) === 0;
  const result = JSON.stringify(`by ${owner}`);
  const withResult = operation === 'resolve' ? { result } : {};
  const request: HistoryRequest = {
    op: 'operate',
    key,
    owner,
    operation,
    isForced: force,
    seenStatus: seen.status,
    seenOwner: seen.owner,
    seenAttempt: seen.attempt,
    ...withResult,
  };
  const change = { operation, key, seen, owner, operator: 'pat', reason: 'by hand', force, ...withResult };
  await record(
    [request],
    () => store.change([{ ...change, retentionMs: RETENTION_MS }]),
    (outcome: OperateOutcome) =>
      outcome.status === 'error'
        ? null
        : { status: outcome.status === 'refused' ? outcome.why : outcome.status },
  );
}
