import type { SettleOutcome, Settlement } from '../claims/claim-store.ts';
import { settleOrFail } from '../claims/store-errors.ts';
import type { Attempt } from './attempt.ts';
import type { Settled, Work } from './work.ts';
import type { Ending } from './ending.ts';
import type { AttemptEnd, HandlerReturned, HandlerThrew } from './handler-end.ts';
import { isLastAttempt } from './rules.ts';
import { type Transaction, wasCommittedUnnoticed } from './transaction.ts';

// Settlements of attempts. Each write is conditional on the owner of the claim.

/** Queues the end of the attempt, and tells its runner the answer: `ended` → `settling`. */
export function settle(attempt: Attempt): void {
  // The common case: no transaction.
  if (attempt.transaction === undefined) {
    put(attempt, endingOf(attempt, attempt.end as AttemptEnd), noteStored);
  } else void settleBeside(attempt, attempt.transaction);
}

/** Stores the given ending, as `settle` does. */
export function store(attempt: Attempt, ending: Ending): void {
  put(attempt, ending, noteStored);
}

/** Releases an unstarted claim: it does not count, and the key is free. `held` → `settling`. */
export function release<Of extends Work>(
  attempt: Attempt<Of>,
  onReleased: (outcome: SettleOutcome) => void,
): void {
  const { claims, watch } = attempt.scope;
  const { key, owner, releases } = attempt;
  const retentionMs = claims.rules.retention.failed;
  attempt.state = 'settling';
  attempt.ending = undefined;
  claims.settlements.settle({ end: 'release', key, owner, releases, retentionMs }, attempt, (_, outcome) => {
    attempt.noteAnswer(outcome);
    if (typeof outcome === 'object') {
      claims.unstarted.note({ key, owner, retentionMs });
      watch.notify({ type: 'settleFailed', ...attempt.facts, effectDone: false, error: outcome.error });
    }
    onReleased(outcome);
  });
}

/** Stores the end of a handler that is no longer awaited, alone, if the claim is still this attempt's. */
export async function settleLate(attempt: Attempt, late: HandlerReturned | HandlerThrew): Promise<void> {
  const { claims, watch } = attempt.scope;
  await attempt.transaction?.close();
  if (attempt.isCommitted) return tellCommitted(attempt, late);
  attempt.end = endBeside(attempt, late);
  const settlement = settlementFor(attempt, endingOf(attempt, attempt.end));
  attempt.state = 'settling';
  watch.notify({ type: 'settling', ends: [{ ...attempt.facts, end: settlement.end }] });
  const settled = settleOrFail([settlement], claims.store.settle([settlement]));
  const [outcome] = (await settled) as [SettleOutcome];
  attempt.noteAnswer(outcome);
  if (outcome !== 'stored') tellNotStored(attempt, outcome);
}

function put(
  attempt: Attempt,
  ending: Ending,
  onAnswer: (attempt: Attempt, outcome: SettleOutcome) => void,
): void {
  attempt.ending = ending;
  attempt.state = 'settling';
  attempt.scope.claims.settlements.settle(settlementFor(attempt, ending), attempt, onAnswer);
}

/** Shared by all attempts, to avoid a closure each. */
function noteStored(attempt: Attempt, outcome: SettleOutcome): void {
  if (outcome !== 'stored') tellNotStored(attempt, outcome);
  attempt.noteAnswer(outcome);
  attempt.runner.settled(attempt, outcome);
}

/** Returns how an end is stored. The observer is told of a result that cannot be stored. */
export function endingOf(attempt: Attempt, end: AttemptEnd): Ending {
  const { endingOf: decide, rules } = attempt.scope.claims;
  const isLast = end.kind !== 'returned' && isLastAttempt(attempt, rules);
  const ending = decide(end, isLast);
  if (ending.end === 'complete' && ending.dropped !== undefined) tellDropped(attempt, ending.dropped);
  return ending;
}

export function settlementFor(attempt: Attempt, ending: Ending): Settlement {
  const { key, owner, releases } = attempt;
  const { retention } = attempt.scope.claims.rules;
  switch (ending.end) {
    case 'complete': {
      const { result, mayDropResult } = ending;
      const retentionMs = retention.completed;
      // Built by hand: a spread is slower for thousands of settlements.
      if (result === undefined) return { end: 'complete', key, owner, retentionMs };
      if (mayDropResult !== true) return { end: 'complete', key, owner, retentionMs, result };
      const onResultDropped = (error: unknown): void => tellDropped(attempt, error);
      return { end: 'complete', key, owner, retentionMs, result, onResultDropped };
    }
    case 'fail':
      return { end: 'fail', key, owner, error: ending.error, retentionMs: retention.failed };
    case 'release':
      return { end: 'release', key, owner, releases, retentionMs: retention.failed };
    case 'park': {
      const retentionMs = ending.isAnswer === true ? retention.completed : retention.parked;
      return { end: 'park', key, owner, error: ending.error, retentionMs };
    }
  }
}

/** Settles an attempt whose handler has committed or tried to. */
async function settleBeside(attempt: Attempt, transaction: Transaction): Promise<void> {
  try {
    await transaction.close();
    const end = attempt.end as AttemptEnd;
    // rule: committed-is-over
    if (transaction.isStored) {
      tellCommitted(attempt, end);
      attempt.scope.claims.settlements.flushIfIdle();
      tellSettled(attempt, 'committed');
      return;
    }
    attempt.end = endBeside(attempt, end);
    const ending = endingOf(attempt, attempt.end);
    // Of a handler that returned, nothing else tells why its record fails.
    const failure = attempt.end === end ? undefined : transaction.failure;
    if (transaction.isUnknown) {
      put(attempt, ending, (of, outcome) => noteStoredUnlessCommitted(of, outcome, failure));
    } else {
      if (failure !== undefined) tellNotStored(attempt, { error: failure });
      store(attempt, ending);
    }
  } catch (thrown) {
    attempt.runner.fail(thrown);
  }
}

/** After a commit without an answer: the settlement has fenced it, so the row now says if it was written. */
function noteStoredUnlessCommitted(
  attempt: Attempt,
  outcome: SettleOutcome,
  failure: Error | undefined,
): void {
  attempt.noteAnswer(outcome);
  if (outcome !== 'stored') tellNotStored(attempt, outcome);
  void wasCommittedUnnoticed(attempt).then((was) => {
    if (outcome === 'stored' && !was && failure !== undefined) tellNotStored(attempt, { error: failure });
    tellSettled(attempt, was ? 'committed' : outcome);
  });
}

function tellSettled(attempt: Attempt, settled: Settled): void {
  try {
    attempt.noteAnswer(settled);
    attempt.runner.settled(attempt, settled);
    attempt.runner.answered();
  } catch (thrown) {
    attempt.runner.fail(thrown);
  }
}

/** Returns the end to store: a failed commit makes it a failure that may run again. */
function endBeside(attempt: Attempt, end: AttemptEnd): AttemptEnd {
  const failure = attempt.transaction?.failure;
  // rule: unknown-commit-fails
  if (failure === undefined || end.kind === 'threw') return end;
  return { kind: 'threw', error: failure, thrown: failure, isInconclusive: true };
}

function tellCommitted(attempt: Attempt, end: AttemptEnd): void {
  if (end.kind === 'returned') return;
  attempt.scope.watch.notify({ type: 'failedAfterCommit', ...attempt.facts, error: end.error });
}

function tellNotStored(attempt: Attempt, outcome: Exclude<SettleOutcome, 'stored'>): void {
  const { notify } = attempt.scope.watch;
  const effectDone = attempt.end?.kind === 'returned';
  if (outcome === 'lost') notify({ type: 'leaseLost', ...attempt.facts, effectDone });
  else notify({ type: 'settleFailed', ...attempt.facts, effectDone, error: outcome.error });
}

function tellDropped(attempt: Attempt, error: unknown): void {
  attempt.scope.watch.notify({ type: 'resultDropped', ...attempt.facts, error });
}
