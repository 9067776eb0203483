import { isObject } from '../../base/is-object.ts';
import type { Claim } from '../../claims/claim.ts';
import type { AcquireOutcome, ClaimRequest } from '../../claims/claim-store.ts';
import type { StopSignal } from '../../base/stop.ts';
import { decideAcquire, firstClaim } from '../../claims/transitions.ts';
import { columnOf } from './array-text.ts';
import type { ClaimsTable } from './claims-table.ts';
import { CONTENDED } from '../rows/conditional-store.ts';
import { contended, MOST_ROUNDS } from '../rows/decide-in-rounds.ts';
import { byKeys, type Keyed } from './items.ts';
import { jsonIn } from '../../claims/row-format.ts';
import { booleanIn, numberIn, type Row, toClaim } from './row.ts';
import { type Found, readRows } from './read.ts';
import { type Sent, send } from './sender.ts';
import { storableMs, storableText } from './storable.ts';

/** `again`: nothing is known yet, and it has to be asked for again. */
type Answer = AcquireOutcome | { readonly status: 'again' };

const AGAIN = { status: 'again' } as const;

/**
 * Acquires in one statement, which takes what is free and brings the rows of the rest. What these mean is decided by the
 * state machine. A row that was free when the statement began, and was another's when it was to be taken, is asked for again.
 */
export async function acquireClaims(
  requests: readonly ClaimRequest[],
  table: ClaimsTable,
  signal?: StopSignal,
): Promise<AcquireOutcome[]> {
  const outcomes: AcquireOutcome[] = [];
  let pending = requests.map((_, index) => index);
  for (let round = 1; round <= MOST_ROUNDS && pending.length > 0; round += 1) {
    const asked = pending.map((index) => requests[index] as ClaimRequest);
    const answers = await byKeys(asked, (keyed) => askFor(keyed, table, signal));
    pending = pending.filter((index, position) => {
      const answer = answers[position] as Answer;
      if (answer.status === 'again') return true;
      outcomes[index] = answer;
      return false;
    });
  }
  for (const index of pending) outcomes[index] = { status: 'error', error: contended(CONTENDED) };
  return outcomes;
}

async function askFor(
  asked: readonly Keyed<ClaimRequest>[],
  table: ClaimsTable,
  signal: StopSignal | undefined,
): Promise<Answer[]> {
  const statement = { ...table.statements().acquire, values: columnsOf(asked) };
  const sent = await send(table, statement, ['SELECT', 'INSERT', 'UPDATE'], signal);
  const rows = new Map(sent.rows.map((row) => [row['key'], row]));
  const isTaken = (row: Row | undefined): row is Row => numberIn(row?.['attempt']) !== undefined;
  // The snapshot of a statement that was sent again may be older than what the first sending wrote.
  const refusedKeys = asked.flatMap(({ stored }) => (isTaken(rows.get(stored)) ? [] : [stored]));
  const reread =
    sent.wasResent && refusedKeys.length > 0 ? await readRows(refusedKeys, table, signal) : undefined;
  return asked.map(({ item, stored }): Answer => {
    const row = rows.get(stored);
    if (isTaken(row)) return taken(row, item, sent);
    const found = reread === undefined ? broughtAlong(row, sent) : reread.get(stored);
    return found === undefined ? AGAIN : refused(found, item);
  });
}

/** One array for each column. What a row of a first claim holds is decided where all rows are made. */
function columnsOf(asked: readonly Keyed<ClaimRequest>[]): string[] {
  const claims = asked.map(({ item }) => firstClaim(item, 0));
  const told = (text: string | undefined): string | undefined => text && storableText(text);
  return [
    columnOf(asked, ({ stored }) => stored),
    columnOf(claims, ({ owner }) => owner),
    columnOf(claims, ({ leaseUntil }) => storableMs(leaseUntil)),
    columnOf(claims, ({ expiresAt }) => storableMs(expiresAt as number)),
    columnOf(claims, ({ payloadHash }) => payloadHash),
    columnOf(claims, ({ lockedBy }) => told(lockedBy)),
    columnOf(claims, ({ recordId }) => told(recordId)),
    columnOf(claims, ({ started }) => started),
  ];
}

/** Its lease began when the database wrote it, which was after this. */
function taken(row: Row, { leaseMs }: ClaimRequest, { sentAt }: Sent): AcquireOutcome {
  return {
    status: 'acquired',
    attempt: numberIn(row['attempt']) as number,
    releases: numberIn(row['releases']) ?? 0,
    crashes: numberIn(row['crashes']) ?? 0,
    // rule: postgres-lease-as-told
    leaseUntil: sentAt + leaseMs,
    tookOver: booleanIn(row['took_over']) === true,
  };
}

function broughtAlong(row: Row | undefined, { sentAt }: Sent): Found | undefined {
  const found = jsonIn(row?.['found']);
  return isObject(found) ? { row: found as Row, now: numberIn(row?.['now']) ?? 0, sentAt } : undefined;
}

function refused({ row, now, sentAt }: Found, request: ClaimRequest): Answer {
  try {
    const decision = decideAcquire(inLocalTime(toClaim(row), sentAt - now), request, sentAt);
    return 'outcome' in decision ? decision.outcome : AGAIN;
  } catch (thrown) {
    return { status: 'error', error: thrown as Error };
  }
}

/** The caller compares what it gets with its own clock. The times that no outcome tells stay as they are. */
function inLocalTime(claim: Claim, offsetMs: number): Claim {
  const { leaseUntil, expiresAt, completedAt } = claim;
  return {
    ...claim,
    leaseUntil: leaseUntil + offsetMs,
    ...(expiresAt !== undefined && { expiresAt: expiresAt + offsetMs }),
    ...(completedAt !== undefined && { completedAt: completedAt + offsetMs }),
  };
}
