import { isObject } from '../../base/is-object.ts';
import type { Claim } from '../../claims/claim.ts';
import type { AcquireOutcome, ClaimRequest } from '../../claims/claim-store.ts';
import type { StopSignal } from '../../base/stop.ts';
import { decideAcquire, firstClaim } from '../../claims/transitions.ts';
import { columnOf, type Value } from './array-text.ts';
import type { ClaimsTable } from './claims-table.ts';
import { CONTENDED } from '../rows/conditional-store.ts';
import { contended, MOST_ROUNDS } from '../rows/decide-in-rounds.ts';
import { byKeys, type Keyed } from './items.ts';
import { jsonIn } from '../../claims/row-format.ts';
import { booleanIn, numberIn, type Row, toClaim } from './row.ts';
import { type Found, readRows } from './read.ts';
import { type Sent, send } from './sender.ts';
import { storableMs, storableText } from './storable.ts';

const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE'] as const;

/** `again`: nothing is known yet, and the key has to be asked for again. */
type Answer = AcquireOutcome | { readonly status: 'again' };

const AGAIN = { status: 'again' } as const;

/**
 * Acquires in one statement, which claims the keys that are free and returns the rows of the others; the
 * state machine decides what those rows mean. A row that was free when the statement began, and another
 * owner's by the time it was locked, is asked for again. A group of first deliveries is inserted by a
 * shorter statement; if some of its keys have rows, those are read.
 */
export async function acquireClaims(
  requests: readonly ClaimRequest[],
  table: ClaimsTable,
  signal?: StopSignal,
): Promise<AcquireOutcome[]> {
  const outcomes: AcquireOutcome[] = [];
  let pending = requests.map((_, index) => index);
  for (let round = areNewAndAlike(requests) ? 0 : 1; round <= MOST_ROUNDS && pending.length > 0; round += 1) {
    const asked = pending.map((index) => requests[index] as ClaimRequest);
    const ask = round === 0 ? insert : askFor;
    const answers = await byKeys(asked, (keyed) => ask(keyed, table, signal));
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

/**
 * Whether the requests are first deliveries that `insertText` can claim together. A single key often has
 * a row already, because a call is repeated or a record waits for its owner: `acquireText` answers that
 * in one statement.
 */
function areNewAndAlike(requests: readonly ClaimRequest[]): boolean {
  const [first] = requests;
  if (first === undefined || requests.length === 1) return false;
  return requests.every(
    ({ isRedelivery, leaseMs, retentionMs, lockedBy, recordsStart }) =>
      isRedelivery !== true &&
      leaseMs === first.leaseMs &&
      retentionMs === first.retentionMs &&
      lockedBy === first.lockedBy &&
      recordsStart === first.recordsStart,
  );
}

/**
 * Inserts the claims of keys without rows. If this sending did not write all of them, the rows of the others
 * are read.
 */
async function insert(
  asked: readonly Keyed<ClaimRequest>[],
  table: ClaimsTable,
  signal: StopSignal | undefined,
): Promise<Answer[]> {
  const statements = table.statements();
  const inserted = { values: valuesOf(asked, commonValue), ...statements.insert };
  const sent = await send(table, inserted, PRIVILEGES, signal);
  if (sent.rowCount === asked.length) return asked.map(({ item }) => taken({}, item, sent));
  const [keys, owners] = inserted.values;
  const read = await send(table, { values: [keys, owners], ...statements.others }, ['SELECT'], signal);
  const others = new Map(read.rows.map((row) => [row['key'], row]));
  // If there are fewer others, an earlier sending or call of the same owner wrote some of the rows.
  const areOurs = others.size + (sent.rowCount ?? 0) === asked.length;
  return asked.map(({ item, stored }) => {
    const other = others.get(stored);
    if (other === undefined) return areOurs ? taken({}, item, sent) : AGAIN;
    return decided(broughtAlong(other, read), item);
  });
}

async function askFor(
  asked: readonly Keyed<ClaimRequest>[],
  table: ClaimsTable,
  signal: StopSignal | undefined,
): Promise<Answer[]> {
  const statement = { values: valuesOf(asked, columnOf), ...table.statements().acquire };
  const sent = await send(table, statement, PRIVILEGES, signal);
  const rows = new Map(sent.rows.map((row) => [row['key'], row]));
  const isTaken = (row: Row | undefined): row is Row => numberIn(row?.['attempt']) !== undefined;
  // The snapshot of a statement that was sent again may be older than what the first sending wrote.
  const refusedKeys = asked.flatMap(({ stored }) => (isTaken(rows.get(stored)) ? [] : [stored]));
  const reread =
    sent.wasResent && refusedKeys.length > 0 ? await readRows(refusedKeys, table, signal) : undefined;
  return asked.map(({ item, stored }): Answer => {
    const row = rows.get(stored);
    if (isTaken(row)) return taken(row, item, sent);
    return decided(reread === undefined ? broughtAlong(row, sent) : reread.get(stored), item);
  });
}

/**
 * The parameters of `insertText` and `acquireText`. `firstClaim` decides what the row of a first claim
 * has.
 */
function valuesOf(
  asked: readonly Keyed<ClaimRequest>[],
  sharedOf: (claims: readonly Claim[], valueOf: (claim: Claim) => Value) => Value,
): Value[] {
  const claims = asked.map(({ item }) => firstClaim(item, 0));
  const told = (text: string | undefined): string | undefined => text && storableText(text);
  return [
    columnOf(asked, ({ stored }) => stored),
    columnOf(claims, ({ owner }) => owner),
    sharedOf(claims, ({ leaseUntil }) => storableMs(leaseUntil)),
    sharedOf(claims, ({ expiresAt }) => storableMs(expiresAt as number)),
    columnOf(claims, ({ payloadHash }) => payloadHash),
    sharedOf(claims, ({ lockedBy }) => told(lockedBy)),
    columnOf(claims, ({ recordId }) => told(recordId)),
    sharedOf(claims, ({ started }) => started),
  ];
}

/** The value that all of the claims have. */
function commonValue([first]: readonly Claim[], valueOf: (claim: Claim) => Value): Value {
  return valueOf(first as Claim) ?? null;
}

/** The outcome of a claim that was written after `sentAt`; an empty row stands for a first claim. */
function taken(row: Row, { leaseMs }: ClaimRequest, { sentAt }: Sent): AcquireOutcome {
  return {
    status: 'acquired',
    attempt: numberIn(row['attempt']) ?? 1,
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

/** Decides by a row, as the state machine does. A key without one, or with a free one, is asked for again. */
function decided(found: Found | undefined, request: ClaimRequest): Answer {
  if (found === undefined) return AGAIN;
  const { row, now, sentAt } = found;
  try {
    const decision = decideAcquire(inLocalTime(toClaim(row), sentAt - now), request, sentAt);
    return 'outcome' in decision ? decision.outcome : AGAIN;
  } catch (thrown) {
    return { status: 'error', error: thrown as Error };
  }
}

/** Converts the times that outcomes contain from the database's clock to this process's. */
function inLocalTime(claim: Claim, offsetMs: number): Claim {
  const { leaseUntil, expiresAt, completedAt } = claim;
  return {
    ...claim,
    leaseUntil: leaseUntil + offsetMs,
    ...(expiresAt !== undefined && { expiresAt: expiresAt + offsetMs }),
    ...(completedAt !== undefined && { completedAt: completedAt + offsetMs }),
  };
}
