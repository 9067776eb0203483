import type { Settlement } from '../claims/claim-store.ts';
import type { Attempt } from './attempt.ts';
import type { Ending } from './ending.ts';
import type { AttemptEnd } from './handler-end.ts';
import { isLastAttempt } from './rules.ts';

/** What is stored of an end. An observer learns of a result that cannot be. */
export function endingOf(attempt: Attempt, end: AttemptEnd): Ending {
  const { endingOf: decide, rules } = attempt.scope.claims;
  const isLast = end.kind !== 'returned' && isLastAttempt(attempt, rules);
  const ending = decide(end, isLast);
  if (ending.end === 'complete' && ending.dropped !== undefined) tellDropped(attempt, ending.dropped);
  return ending;
}

/** The settlement of this ending. */
export function settlementFor(attempt: Attempt, ending: Ending): Settlement {
  const { key, owner, releases } = attempt;
  const { retention } = attempt.scope.claims.rules;
  switch (ending.end) {
    case 'complete': {
      const { result, mayDropResult } = ending;
      const retentionMs = retention.completed;
      // Spreads are measurably slower: there are thousands.
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

function tellDropped(attempt: Attempt, error: unknown): void {
  attempt.scope.watch.notify({ type: 'resultDropped', ...attempt.facts, error });
}
