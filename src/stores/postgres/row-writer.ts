import type { StopSignal } from '../../base/stop.ts';
import type { OwnedChange, WriteOutcome } from '../rows/row-writer.ts';
import type { OwnedWriter } from '../rows/settle.ts';
import { columnOf } from './array-text.ts';
import type { ClaimsTable } from './claims-table.ts';
import { byKeys, type Keyed } from './items.ts';
import { readEach } from './read.ts';
import { type Row, toClaim } from './row.ts';
import { send } from './sender.ts';
import { storableJson, storableMs } from './storable.ts';

const WRITTEN = { status: 'written' } as const;
const REFUSED = { status: 'refused' } as const;

/** What owners change, whose times are in milliseconds from now. A refused row is read by a statement of its own. */
export function rowChanger(table: ClaimsTable): OwnedWriter<Row> {
  return {
    change: (changes, signal) => byKeys(changes, (keyed) => change(keyed, table, signal), haveLongResults),
    read: (keys, signal) => readEach(keys, table, table.statements().read, signal),
    toClaim,
  };
}

/** PostgreSQL takes a gigabyte; this keeps what one statement takes in memory, here and there, within bounds. */
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
  const statement = { ...table.statements().change, values: changeColumns(keyed) };
  const { rows } = await send(table, statement, ['SELECT', 'UPDATE'], signal);
  const written = new Set(rows.map(({ key }) => key));
  return keyed.map(({ stored }) => (written.has(stored) ? WRITTEN : REFUSED));
}

/** One array for each column. Null where it stays as it is. */
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
