import type { Places } from '../places.ts';
import type { DevTable } from '../stack.ts';
import { isRefusal, localCall } from './local-call.ts';

/** The definitions of the tables that were created, by name. */
export type MadeTables = Map<string, string>;

/** Creates the missing tables. Returns a note for each table with a change that requires a restart. */
export async function createTables(
  places: Places,
  tables: readonly DevTable[],
  made: MadeTables,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const table of tables) {
    const definition = JSON.stringify(table.definition);
    const before = made.get(table.name);
    if (before === undefined) {
      await createTable(places, table);
      made.set(table.name, definition);
    } else if (before !== definition) {
      notes.push(
        `${table.id} keeps the keys, indexes and stream that it had: stop and start to change them.`,
      );
    }
    await setTimeToLive(places, table);
  }
  return notes;
}

async function createTable(places: Places, { definition }: DevTable): Promise<void> {
  await localCall(places.dynamodb, 'DynamoDB_20120810.CreateTable', definition);
  const name = definition['TableName'];
  for (;;) {
    const { Table } = await localCall(places.dynamodb, 'DynamoDB_20120810.DescribeTable', {
      TableName: name,
    });
    if ((Table as { TableStatus?: string }).TableStatus === 'ACTIVE') return;
  }
}

/** Turns TTL on. An emulator without TTL keeps expired items, as DynamoDB may for days. */
async function setTimeToLive(
  places: Places,
  { name, timeToLiveAttribute: attribute }: DevTable,
): Promise<void> {
  if (attribute === undefined) return;
  try {
    await localCall(places.dynamodb, 'DynamoDB_20120810.UpdateTimeToLive', {
      TableName: name,
      TimeToLiveSpecification: { AttributeName: attribute, Enabled: true },
    });
  } catch (error) {
    // ValidationException: TTL is on already.
    if (!isRefusal(error, 'UnknownOperationException', 'ValidationException')) throw error;
  }
}
