import { randomUUID } from 'node:crypto';
import { isOfTarget } from './is-of-target.ts';
import type { RelayRow } from './relay-row.ts';
import type { RowsReport } from './row-sender.ts';

/** A row that was not sent: it parks, or is sent again after a delay. */
interface RowFailure {
  readonly row: RelayRow;
  readonly error: Error;
  readonly parks: boolean;
  readonly delayMs: number;
  /** The version that a person's change of the parked row names. */
  readonly version: string;
}

/** How the rows of a round ended. */
export interface RoundEnds {
  readonly sent: readonly RelayRow[];
  readonly failures: readonly RowFailure[];
  /** An error of a round in which nothing was sent and nothing parks: the target is down, not a row. */
  readonly outage: Error | undefined;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 300_000;

/**
 * Decides about the rows of a round. Of a group, only the first row that was not sent counts: the sender held
 * the others behind it. Where nothing was sent at all, errors that may be of the target count for no row: an
 * outage or a missing permission would otherwise park them all.
 */
export function endsOf(
  rows: readonly RelayRow[],
  report: RowsReport<RelayRow>,
  maxTries: number,
  random: () => number,
): RoundEnds {
  const outcomes = outcomesOf(report);
  const heads = firstUnsent(rows, outcomes).map((row) => {
    const { error, isRetryable } = outcomes.get(row.id) ?? UNMENTIONED;
    return { row, error, isFinal: !isRetryable && !isOfTarget(error) };
  });
  // rule: deleted-rows-are-sent
  const sent = rows.filter(({ id }) => outcomes.get(id) === SENT);
  const isOutage = sent.length === 0;
  const failures = heads
    .filter(({ isFinal }) => isFinal || !isOutage)
    .map(({ row, error, isFinal }): RowFailure => {
      const parks = isFinal || row.tries + 1 >= maxTries;
      const longestMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** row.tries);
      return { row, error, parks, delayMs: longestMs * (0.5 + random() / 2), version: randomUUID() };
    });
  const outage = isOutage && failures.length === 0 ? heads[0]?.error : undefined;
  return { sent, failures, outage };
}

interface Outcome {
  readonly error: Error;
  readonly isRetryable: boolean;
}

const SENT: Outcome = { error: new Error('sent'), isRetryable: false };
const UNMENTIONED: Outcome = {
  error: new Error('The sender did not say what happened'),
  isRetryable: true,
};

function outcomesOf({ sent, failed, unknown }: RowsReport<RelayRow>): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const { message, error, isRetryable } of failed) outcomes.set(message.id, { error, isRetryable });
  for (const { message, error } of unknown) outcomes.set(message.id, { error, isRetryable: true });
  for (const { id } of sent) outcomes.set(id, SENT);
  return outcomes;
}

/** Returns the first row of each group that was not sent, and all rows without a group that were not. */
function firstUnsent(rows: readonly RelayRow[], outcomes: ReadonlyMap<string, Outcome>): RelayRow[] {
  const groups = new Set<string>();
  return rows.filter(({ id, group }) => {
    if (outcomes.get(id) === SENT) return false;
    if (group === undefined) return true;
    if (groups.has(group)) return false;
    groups.add(group);
    return true;
  });
}
