import type { StopSignal } from '../../base/stop.ts';
import type { OwnedChange, WriteOutcome } from '../rows/row-writer.ts';
import type { OwnedWriter } from '../rows/settle.ts';
import { columnOf, type Value } from './array-text.ts';
import type { ClaimsTable } from './claims-table.ts';
import { byKeys, type Keyed } from './items.ts';
import { readEach } from './read.ts';
import { type Row, toClaim } from './row.ts';
import { send } from './sender.ts';
import { storableJson, storableMs } from './storable.ts';

const WRITTEN = { status: 'written' } as const;
const REFUSED = { status: 'refused' } as const;

/**
 * Writes the changes of owners, whose times are in milliseconds from now. The caller reads the refused
 * rows.
 */
export function rowChanger(table: ClaimsTable): OwnedWriter<Row> {
  return {
    change: (changes, signal) => byKeys(changes, (keyed) => change(keyed, table, signal), haveLongResults),
    read: (keys, signal) => readEach(keys, table, table.statements().read, signal),
    toClaim,
  };
}

/**
 * PostgreSQL's limit is a gigabyte; this bounds the memory that one statement takes, here and in the
 * server.
 */
const LONGEST_RESULTS = 16_000_000;

function haveLongResults(keyed: readonly Keyed<OwnedChange>[]): boolean {
  let length = 0;
  for (const { item } of keyed) length += item.change.result?.length ?? 0;
  return length > LONGEST_RESULTS;
}

async function change(
  keyed: readonly Keyed<OwnedChange>[],
  table: ClaimsTable,
  signal: StopSignal | undefined,
): Promise<WriteOutcome<Row>[]> {
  const { complete, change: each } = table.statements();
  const statement = areCompletionsAlike(keyed)
    ? { values: completionValues(keyed), ...complete }
    : { values: changeColumns(keyed), ...each };
  const { rowCount } = await send(table, statement, ['SELECT', 'UPDATE'], signal);
  return keyed.map(() => (rowCount === keyed.length ? WRITTEN : REFUSED));
}

/** Whether `completeAllText` can write them: it sets all fields that a change to COMPLETED has. */
function areCompletionsAlike(keyed: readonly Keyed<OwnedChange>[]): boolean {
  const expiresAt = keyed[0]?.item.change.expiresAt;
  return keyed.every(
    ({ item: { change } }) => change.status === 'COMPLETED' && change.expiresAt === expiresAt,
  );
}

function completionValues(keyed: readonly Keyed<OwnedChange>[]): Value[] {
  return [
    columnOf(keyed, ({ stored }) => stored),
    columnOf(keyed, ({ item }) => item.owner),
    columnOf(keyed, ({ item }) => item.change.result),
    storableMs(keyed[0]?.item.change.expiresAt as number),
  ];
}

/** Returns an array for each column; null leaves a row's column unchanged. */
function changeColumns(keyed: readonly Keyed<OwnedChange>[]): string[] {
  const changes = keyed.map(({ item }) => item.change);
  const ms = (value: number | undefined): number | undefined => value && storableMs(value);
  return [
    columnOf(keyed, ({ stored }) => stored),
    columnOf(keyed, ({ item }) => item.owner),
    columnOf(changes, ({ status }) => status),
    columnOf(changes, ({ leaseUntil }) => ms(leaseUntil)),
    columnOf(changes, ({ expiresAt }) => ms(expiresAt)),
    columnOf(changes, ({ completedAt }) => completedAt !== undefined),
    columnOf(changes, ({ result }) => result),
    columnOf(changes, ({ error }) => error && storableJson(error)),
    columnOf(changes, ({ releases }) => releases),
    columnOf(changes, ({ crashes }) => crashes),
    columnOf(changes, ({ started }) => started),
    columnOf(keyed, ({ item }) => ms(item.leaseUntilAtMost)),
  ];
}
