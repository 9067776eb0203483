import { randomUUID } from 'node:crypto';
import { toStoredError } from '../claims/claim.ts';
import { logLine } from '../observe/log-line.ts';
import { type LaneHead, readLanes } from './dynamodb-lanes.ts';
import { COUNTER, keyOf, type OutboxRow, unsentOf } from './dynamodb-row.ts';
import { deleteItems, type OutboxTable, updateItem } from './dynamodb-table.ts';
import { isOfTarget } from './is-of-target.ts';
import type { RowSender, RowsReport } from './row-sender.ts';

/** Whose rows are sent, and with what. */
export interface Sending {
  readonly table: OutboxTable;
  readonly sender: RowSender;
  /** Aborted shortly before the invocation ends. */
  readonly stop: AbortSignal;
  readonly write: (line: string) => Promise<unknown>;
}

/** How the rows of lanes ended. Rows behind a parked one are held: nothing is left to do but for a person. */
export interface LanesSent {
  readonly sent: number;
  readonly parked: number;
  /** The lanes with rows that are to be sent again, and why. */
  readonly left: ReadonlyMap<string, Error>;
}

/** Lanes at a time: as many as Lambda delivers of a stream by default. */
const LANES_AT_ONCE = 100;

/**
 * Sends the rows of lanes, deletes those that are sent, and parks those that cannot be. A row is deleted
 * only after it is sent, so a process that dies in between leaves it to be sent again.
 */
export async function sendLanes(lanes: Iterable<string>, sending: Sending): Promise<LanesSent> {
  const left = new Map<string, Error>();
  let open = [...new Set(lanes)];
  let sent = 0;
  let parked = 0;
  while (open.length > 0) {
    const wave = open.slice(0, LANES_AT_ONCE);
    open = open.slice(LANES_AT_ONCE);
    if (sending.stop.aborted) {
      for (const lane of wave) left.set(lane, new Error('The time for sending was over'));
      continue;
    }
    for (const { head, ends } of await sendWave(wave, sending)) {
      sent += ends.done.length;
      parked += ends.parked.length;
      if (ends.left !== undefined) left.set(head.lane, ends.left);
      else if (head.ends === 'page' && ends.parked.length === 0) open.push(head.lane);
    }
  }
  return { sent, parked, left };
}

interface ParkedRow {
  readonly row: OutboxRow;
  readonly error: Error;
}

/** How the rows of one lane ended. */
interface LaneEnds {
  readonly done: readonly OutboxRow[];
  readonly parked: readonly ParkedRow[];
  readonly left: Error | undefined;
}

async function sendWave(
  lanes: readonly string[],
  { table, sender, stop, write }: Sending,
): Promise<{ readonly head: LaneHead; readonly ends: LaneEnds }[]> {
  const heads = await readLanes(table, lanes);
  const due = heads.flatMap((head) => head.due);
  const outcomeOf = outcomesOf(due.length === 0 ? NONE : await sender.sendEncoded(due, { signal: stop }));
  const settled = heads.map((head) => ({ head, ends: endsOf(head, outcomeOf) }));
  // The number first: a row that is noted as sent is deleted by the next relay, and not sent again.
  const notes = await Promise.allSettled(settled.map(({ ends }) => noteSent(ends.done, table)));
  const noted = settled.filter((_, index) => notes[index]?.status === 'fulfilled');
  const gone = noted.flatMap(({ head, ends }) => [...head.sent, ...ends.done]);
  // A failure in one lane must not leave the sent rows of others: they would be sent again.
  const writes = await Promise.allSettled([
    deleteItems(table, gone.map(keyOf)),
    ...noted.flatMap(({ ends }) => ends.parked.map((one) => park(one, table, write))),
  ]);
  const failed = [...notes, ...writes].find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return settled;
}

const NONE: RowsReport<OutboxRow> = { sent: [], failed: [], unknown: [] };

/** How the sending of one row ended: the error of a row that is not sent. */
type Outcome = 'sent' | { readonly error: Error; readonly isRetryable: boolean };

function outcomesOf({ sent, failed, unknown }: RowsReport<OutboxRow>): (row: OutboxRow) => Outcome {
  const outcomes = new Map<OutboxRow, Outcome>();
  for (const { message, error, isRetryable } of failed) outcomes.set(message, { error, isRetryable });
  for (const { message, error } of unknown) outcomes.set(message, { error, isRetryable: true });
  for (const row of sent) outcomes.set(row, 'sent');
  return (row) => outcomes.get(row) ?? { error: new Error('The message was not sent'), isRetryable: true };
}

/**
 * Decides what happens to the rows of a lane. In a lane with an order, the first row that is not sent ends
 * the rest: a later one that was sent all the same stays, and is sent again in its turn.
 */
function endsOf({ due, ends }: LaneHead, outcomeOf: (row: OutboxRow) => Outcome): LaneEnds {
  const done: OutboxRow[] = [];
  const parked: ParkedRow[] = [];
  let left: Error | undefined;
  for (const row of due) {
    const outcome = outcomeOf(row);
    // rule: done-rows-are-sent
    if (outcome === 'sent') done.push(row);
    else if (outcome.isRetryable || isOfTarget(outcome.error)) left ??= outcome.error;
    else parked.push({ row, error: outcome.error });
    if (outcome !== 'sent' && row.number !== undefined) break;
  }
  // Rows behind a parked one wait for a person, and not for a relay.
  if (ends === 'gap' && parked.length === 0)
    left ??= new Error('The row before the next one is not visible yet');
  return { done, parked, left };
}

/** Notes in the counter how far the lane is sent; without numbers there is none. */
async function noteSent(done: readonly OutboxRow[], table: OutboxTable): Promise<void> {
  const last = done.findLast(({ number }) => number !== undefined);
  if (last?.number === undefined) return;
  await updateItem(table, {
    Key: keyOf({ lane: last.lane, position: COUNTER }),
    UpdateExpression: 'SET #sent = :number',
    // A counter that expired was made anew, with greater numbers, or is absent. Nothing waits for it.
    ConditionExpression: '#first <= :number AND (attribute_not_exists(#sent) OR #sent < :number)',
    ExpressionAttributeNames: { '#sent': 'sent', '#first': 'first' },
    ExpressionAttributeValues: { ':number': { N: String(last.number) } },
  });
}

/** Parks a row that still waits; another relay may have sent it meanwhile. */
async function park({ row, error }: ParkedRow, table: OutboxTable, write: Sending['write']): Promise<void> {
  const now = table.clock.now();
  const { name, message } = toStoredError(error);
  const isParked = await updateItem(table, {
    Key: keyOf(row),
    UpdateExpression: 'SET #unsent = :parked, #version = :version, #changedAt = :now, #error = :error',
    ConditionExpression: '#unsent = :waiting',
    ExpressionAttributeNames: {
      '#unsent': 'unsent',
      '#version': 'version',
      '#changedAt': 'changedAt',
      '#error': 'error',
    },
    ExpressionAttributeValues: {
      ':parked': { S: unsentOf('PARKED', row.outboxId) },
      ':waiting': { S: unsentOf('WAITING', row.outboxId) },
      ':version': { S: randomUUID() },
      ':now': { N: String(now) },
      ':error': { M: { name: { S: name }, message: { S: message } } },
    },
  });
  if (!isParked) return;
  const { outboxId, type } = row;
  await write(logLine(now, 'error', 'outboxRowParked', { outboxId, type, error: { name, message } }));
}
