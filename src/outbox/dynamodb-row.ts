import type { StoredError } from '../claims/claim.ts';
import type { EncodedMessage } from '../messages/encode-message.ts';
import type { Row } from '../stores/dynamodb/row.ts';
import type { OutboxHistoryEntry } from './outbox-admin.ts';

/** The index of rows: counters have none of its keys. */
export const UNSENT_INDEX = 'unsent';

/** The states of rows, as the index has them. A sent row is deleted. */
export type OutboxRowState = 'WAITING' | 'PARKED' | 'DROPPED';

/** The partitions of the index for each state; each takes 1,000 writes a second. */
export const SHARDS = 8;

/** The position of a lane's counter: before all rows, so that one query reads it with them. */
export const COUNTER = '#';

/** The position of a row without a message group, which has a lane of its own. */
const ALONE = '-';

/** The place of a row: its lane and its position in it, which are the table's key. */
export interface OutboxPlace {
  readonly lane: string;
  readonly position: string;
}

/** A message in the table, with its lane: rows of one message group, or one row without a group. */
export interface OutboxRow extends EncodedMessage, OutboxPlace {
  readonly outboxId: string;
  readonly createdAt: number;
  readonly state: OutboxRowState;
  /** The number that the lane's counter gave; undefined for a row without an order. */
  readonly number: number | undefined;
  /** The number given before it; undefined if it was the counter's first. */
  readonly after: number | undefined;
  /** Changes with each change of the row; undefined for a row that was never changed. */
  readonly version: string | undefined;
  /** When it parked or was changed. */
  readonly changedAt: number | undefined;
  readonly error: StoredError | undefined;
  readonly bodyBytes: number;
  readonly history: readonly OutboxHistoryEntry[];
}

/** The counter of a lane. `first`: its first number; `sent`: up to here every row is sent or dropped. */
export interface LaneCounter {
  readonly first: number;
  readonly last: number;
  readonly sent: number | undefined;
}

/** The numbers of a row in its lane. */
export interface RowNumbers {
  readonly number: number;
  readonly after: number | undefined;
}

/** Returns the lane of a group. */
export function laneOf(outboxId: string, group: string | undefined): string {
  return group === undefined ? `row:${outboxId}` : `group:${group}`;
}

/** Returns the place of the only row of a lane; undefined for the lane of a group. */
export function placeOfOnly(lane: string): OutboxPlace | undefined {
  return lane.startsWith('row:') ? { lane, position: ALONE } : undefined;
}

/** Returns the outbox id of a row. Positions in the lane of a group end with it. */
export function outboxIdAt({ lane, position }: OutboxPlace): string {
  const isOnly = placeOfOnly(lane) !== undefined;
  return isOnly ? lane.slice('row:'.length) : position.slice(position.indexOf('#') + 1);
}

export function unsentShard(state: OutboxRowState, shard: number): string {
  return `${state}#${shard}`;
}

/** Returns the index key of a row. Outbox ids are random, so their digits spread rows evenly. */
export function unsentOf(state: OutboxRowState, outboxId: string): string {
  return unsentShard(state, Number.parseInt(outboxId.slice(0, 8), 16) % SHARDS);
}

/** Returns a new row as plain values, as transactions take them. */
export function newItem(
  message: EncodedMessage,
  outboxId: string,
  createdAt: number,
  numbers: Partial<RowNumbers> = {},
): Record<string, unknown> {
  const { type, body, attributes, group, deduplicationId } = message;
  const { number, after } = numbers;
  const digits = String(number ?? createdAt).padStart(16, '0');
  return {
    lane: laneOf(outboxId, group),
    position: group === undefined ? ALONE : `${digits}#${outboxId}`,
    unsent: unsentOf('WAITING', outboxId),
    createdAt,
    outboxId,
    type,
    body,
    bodyBytes: Buffer.byteLength(body),
    attributes: { ...attributes },
    deduplicationId,
    ...(group !== undefined && { messageGroup: group }),
    ...(number !== undefined && { number }),
    ...(after !== undefined && { after }),
  };
}

export function keyOf({ lane, position }: OutboxPlace): Row {
  return { lane: { S: lane }, position: { S: position } };
}

/** Reads a row; undefined for another kind of item. */
export function rowOf(item: Row): OutboxRow | undefined {
  const text = (name: string): string | undefined => item[name]?.S;
  const amount = (name: string): number | undefined => {
    const digits = item[name]?.N;
    return digits === undefined ? undefined : Number(digits);
  };
  const lane = text('lane');
  const position = text('position');
  const outboxId = text('outboxId');
  const type = text('type');
  const state = text('unsent')?.split('#')[0];
  if (lane === undefined || position === undefined || outboxId === undefined) return undefined;
  if (type === undefined || !isState(state)) return undefined;
  const error = item['error']?.M;
  return {
    lane,
    position,
    outboxId,
    type,
    body: text('body') ?? '', // an administrator may leave it unread
    attributes: textsOf(item['attributes']?.M),
    group: text('messageGroup'),
    deduplicationId: text('deduplicationId') ?? outboxId,
    createdAt: amount('createdAt') ?? 0,
    state,
    number: amount('number'),
    after: amount('after'),
    version: text('version'),
    changedAt: amount('changedAt'),
    error: error && { name: error['name']?.S ?? 'Error', message: error['message']?.S ?? '' },
    bodyBytes: amount('bodyBytes') ?? 0,
    history: (item['history']?.L ?? []).flatMap(({ M }) => (M === undefined ? [] : [historyEntryOf(M)])),
  };
}

function isState(text: string | undefined): text is OutboxRowState {
  return text === 'WAITING' || text === 'PARKED' || text === 'DROPPED';
}

function historyEntryOf({ at, operation, operator, reason }: Row): OutboxHistoryEntry {
  return {
    at: Number(at?.N),
    operation: operation?.S === 'drop' ? 'drop' : 'release',
    operator: operator?.S ?? '',
    reason: reason?.S ?? '',
  };
}

export function counterOf(item: Row): LaneCounter | undefined {
  const { position, first, last, sent } = item;
  if (position?.S !== COUNTER) return undefined;
  return {
    first: Number(first?.N),
    last: Number(last?.N),
    sent: sent?.N === undefined ? undefined : Number(sent.N),
  };
}

function textsOf(map: Row | undefined): Record<string, string> {
  const entries = Object.entries(map ?? {}).flatMap(([name, { S }]) => (S === undefined ? [] : [[name, S]]));
  return Object.fromEntries(entries) as Record<string, string>;
}
