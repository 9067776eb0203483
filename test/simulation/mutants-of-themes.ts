import { type Mutant, one } from './mutant.ts';

const QUEUE = 'src/base/request-queue.ts';

/** Rules that hardly any scenario touches which is not turned towards them. */
export const mutantsOfThemes: readonly Mutant[] = [
  one(
    'batches: no waiting for oneself',
    'a record joins those that a batch handler waits for only when its claim can be asked for',
    'src/batch/claim.ts',
    'if (!this.#turns.isInTurn(record)) continue;',
    'if (!this.#turns.isInTurn(record) && (claims.activity.busy += 1) > 0) continue;',
  ),
  one(
    'payloads: outcomes of their own',
    'only records of equal key and equal payload share an outcome',
    'src/batch/plan.ts',
    'last.payloadHash === payloadHash',
    "last.payloadHash !== ''",
  ),
  one(
    'payloads: one after the other',
    'two payloads of one key are not claimed side by side',
    'src/batch/plan.ts',
    'record.behind = last;',
    'record.behind = undefined;',
  ),
  one(
    'starts are recorded',
    'where deaths park, a row tells what had started from what was only claimed',
    'src/attempts/rules.ts',
    "return onLapsedLease === 'park' || maxCrashes !== undefined || maxAttempts !== undefined;",
    "return onLapsedLease === 'park' && maxCrashes === 0 && maxAttempts === undefined;",
  ),
  one(
    'calls: starts are recorded',
    'the same of calls',
    'src/functions/run-once.ts',
    'const isRecordingStart = recordsStarts({ store, rules: settings });',
    'const isRecordingStart = recordsStarts({ store, rules: settings }) && settings.waitMs < 0;',
  ),
  one(
    'no time left',
    'remaining time 0 is a time',
    'src/attempts/deadline.ts',
    'Number.isFinite(remainingMs) ? Math.max(remainingMs, 0) : undefined',
    'Number.isFinite(remainingMs) && remainingMs > 0 ? remainingMs : undefined',
  ),
  one(
    'calls: broken off',
    'a call that has seen its signal and returns is not done',
    'src/functions/run-once.ts',
    'if (end.hasSeenAbort === true) return',
    'if (end.hasSeenAbort === true && isLast === undefined) return',
  ),
  one(
    'records: broken off',
    'a handler that has seen its signal and returns is not done',
    'src/attempts/attempt.ts',
    "if (error === undefined) return { kind: 'returned', result };",
    "if (error !== null) return { kind: 'returned', result };",
  ),
  one(
    'batches: broken off together',
    'what a batch handler has seen on one record it has seen on all',
    'src/attempts/attempt.ts',
    'this.together === undefined ? this : this.together.whoHasSeenAbort()',
    'this',
  ),
  one(
    'bound of requests to DynamoDB',
    'a request that is not answered gives its place to another',
    'src/stores/dynamodb/bounded-transport.ts',
    'if (!slots.take()) await slots.turn();',
    'if (REQUESTS_AT_ONCE > 0) return transport.send(operation, input, signal);\n      if (!slots.take()) await slots.turn();',
  ),
  one(
    'bound of store calls',
    'a call to the store that is not answered ends all the same',
    'src/claims/engine-store.ts',
    'call: 30_000,',
    'call: 30_000_000,',
  ),
  one(
    'bound of SQS calls',
    'a call to SQS that is not answered ends all the same',
    'src/queues/bounded-sqs.ts',
    'LONGEST_CALL_MS = 5_000',
    'LONGEST_CALL_MS = 5_000_000_000',
  ),
  one(
    'short leases',
    'the lease of an event that is delivered directly is over before its retries are',
    'src/attempts/default-lease.ts',
    'SHORT_LEASE_MS = 45_000',
    'SHORT_LEASE_MS = 45_000_000',
  ),
  one(
    'results that are too large',
    'a completion is stored without the result that its row has no room for',
    'src/claims/engine-store.ts',
    'if (settlement.onResultDropped === undefined) return undefined;',
    'return undefined;',
  ),
  one(
    'shared requests: keys',
    'invocations that overlap never bring one key into one request',
    'src/base/request-queue.ts',
    ' || keys.has(one.item.key)',
    '',
  ),
  one(
    'shared requests: deadlines',
    'an invocation whose time is over takes nothing of others along',
    QUEUE,
    '(one.member === member ? own : this.#waiting).push(one);',
    'if (one.member === member) own.push(one);',
  ),
];
