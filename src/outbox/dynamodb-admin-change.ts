import type { TransactWriteItem, Update } from '@aws-sdk/client-dynamodb';
import type { Row } from '../stores/dynamodb/row.ts';
import {
  COUNTER,
  counterOf,
  keyOf,
  type OutboxPlace,
  type OutboxRow,
  rowOf,
  unsentOf,
} from './dynamodb-row.ts';
import { isCancelled, type OutboxTable } from './dynamodb-table.ts';
import { seenVersion } from './dynamodb-version.ts';
import type { OutboxChange, OutboxChangeOutcome } from './outbox-admin.ts';

/** How long a dropped row is kept. */
const DROPPED_MS = 14 * 24 * 3_600_000;
/** A write that conflicts with a relay's is made again, after another look at the row. */
const MOST_TRIES = 5;

/** Changes a row if it is still as it was seen. */
export async function changeRow(table: OutboxTable, change: OutboxChange): Promise<OutboxChangeOutcome> {
  const seen = seenVersion(change.seen.version);
  for (let tries = 1; ; tries += 1) {
    const row = await readRow(table, seen);
    if (row === undefined || row.outboxId !== change.seen.outboxId)
      return { status: 'refused', why: 'absent' };
    if (row.version === change.token) return { status: 'done' };
    if (row.state === 'WAITING') return { status: 'refused', why: 'waiting' };
    if ((row.version ?? null) !== seen.stored || row.state.toLowerCase() !== change.seen.state) {
      return { status: 'refused', why: 'changed' };
    }
    try {
      await table.send('TransactWriteItems', { TransactItems: await writesOf(table, row, change) });
      return { status: 'done' };
    } catch (error) {
      if (!isCancelled(error) || tries === MOST_TRIES) throw error;
    }
  }
}

async function readRow({ tableName, send }: OutboxTable, place: OutboxPlace): Promise<OutboxRow | undefined> {
  const { Item } = await send('GetItem', { TableName: tableName, Key: keyOf(place), ConsistentRead: true });
  return Item && rowOf(Item);
}

async function writesOf(
  table: OutboxTable,
  row: OutboxRow,
  change: OutboxChange,
): Promise<TransactWriteItem[]> {
  if (change.operation === 'release') return [{ Update: releaseOf(table, row, change) }];
  const counter = await passing(table, row);
  return [{ Update: dropOf(table, row, change) }, ...(counter === undefined ? [] : [{ Update: counter }])];
}

/**
 * Lets relays send the row. A dropped one has lost its turn, so it gives up its number: by that number the
 * counter notes it as sent.
 */
function releaseOf(table: OutboxTable, row: OutboxRow, change: OutboxChange): Update {
  const removed = row.state === 'DROPPED' ? ', #number, #after' : '';
  const update = updateOf(table, row, change, {
    set: { unsent: { S: unsentOf('WAITING', row.outboxId) } },
    more: `REMOVE #expiresAt${removed}`,
  });
  const names = {
    '#expiresAt': 'expiresAt',
    ...(removed !== '' && { '#number': 'number', '#after': 'after' }),
  };
  return { ...update, ExpressionAttributeNames: { ...update.ExpressionAttributeNames, ...names } };
}

function dropOf(table: OutboxTable, row: OutboxRow, change: OutboxChange): Update {
  const expiresAt = Math.ceil((table.clock.now() + DROPPED_MS) / 1_000);
  return updateOf(table, row, change, {
    set: { unsent: { S: unsentOf('DROPPED', row.outboxId) }, expiresAt: { N: String(expiresAt) } },
  });
}

/** Lets the lane's counter pass a dropped row; undefined if nothing counts it. */
async function passing(table: OutboxTable, { lane, number }: OutboxRow): Promise<Update | undefined> {
  if (number === undefined) return undefined;
  const Key = keyOf({ lane, position: COUNTER });
  const { Item } = await table.send('GetItem', { TableName: table.tableName, Key, ConsistentRead: true });
  const counter = Item && counterOf(Item);
  if (counter === undefined || number < counter.first || number <= (counter.sent ?? -Infinity))
    return undefined;
  return {
    TableName: table.tableName,
    Key,
    UpdateExpression: 'SET #sent = :number',
    ConditionExpression: '#first = :first AND (attribute_not_exists(#sent) OR #sent < :number)',
    ExpressionAttributeNames: { '#sent': 'sent', '#first': 'first' },
    ExpressionAttributeValues: { ':number': { N: String(number) }, ':first': { N: String(counter.first) } },
  };
}

/** Returns the update of a row, on the condition that it is as it was read. */
function updateOf(
  { tableName, clock }: OutboxTable,
  row: OutboxRow,
  { operation, operator, reason, token }: OutboxChange,
  { set, more = '' }: { readonly set: Row; readonly more?: string },
): Update {
  const entry = {
    at: { N: String(clock.now()) },
    operation: { S: operation },
    operator: { S: operator },
    reason: { S: reason },
  };
  const values: Row = {
    ...set,
    version: { S: token },
    changedAt: { N: String(clock.now()) },
  };
  const sets = Object.keys(values).map((name) => `#${name} = :${name}`);
  const isAsRead = row.version === undefined ? 'attribute_not_exists(#version)' : '#version = :read';
  const names = [...Object.keys(values), 'history'].map((name) => [`#${name}`, name] as const);
  return {
    TableName: tableName,
    Key: keyOf(row),
    UpdateExpression:
      `SET ${sets.join(', ')}, #history = list_append(if_not_exists(#history, :none), :entry) ${more}`.trim(),
    ConditionExpression: `#unsent = :seen AND ${isAsRead}`,
    ExpressionAttributeNames: Object.fromEntries(names),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
      ':none': { L: [] },
      ':entry': { L: [{ M: entry }] },
      ':seen': { S: unsentOf(row.state, row.outboxId) },
      ...(row.version !== undefined && { ':read': { S: row.version } }),
    },
  };
}
