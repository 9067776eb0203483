import type { StopSignal } from '../../claims/stop.ts';
import { noOutcome } from '../conditional/no-outcome.ts';
import type { OwnedChange, ReadOutcome, WriteOutcome } from '../conditional/row-writer.ts';
import type { OwnedWriter } from '../conditional/settle.ts';
import type { ClaimsTable } from './claims-table.ts';
import { inStatements } from './items.ts';
import { readRows } from './read.ts';
import { type Row, toClaim } from './row.ts';
import { send } from './sender.ts';
import { storableJson, storableMs, storedKey } from './storable.ts';

const WRITTEN = { status: 'written' } as const;
const REFUSED = { status: 'refused' } as const;

/** What owners change, whose times are in milliseconds from now. A refused row is read by a statement of its own. */
export function rowChanger(table: ClaimsTable): OwnedWriter<Row> {
  return {
    change: (changes, signal) =>
      byKeys<OwnedChange, WriteOutcome<Row>>(changes, (items) => change(items, table, signal)),
    read: (keys, signal) =>
      byKeys<{ readonly key: string }, ReadOutcome<Row>>(
        keys.map((key) => ({ key })),
        (items) => read(items, table, signal),
      ),
    toClaim,
  };
}

/** An item with its key as it is stored. */
interface Keyed<Item> {
  readonly item: Item;
  readonly stored: string;
}

/** Items whose keys cannot be stored have their errors before anything is sent. */
async function byKeys<Item extends { readonly key: string }, Outcome extends { readonly status: string }>(
  items: readonly Item[],
  run: (keyed: readonly Keyed<Item>[]) => Promise<Outcome[]>,
): Promise<(Outcome | { readonly status: 'error'; readonly error: Error })[]> {
  const errors = new Map<number, Error>();
  const keyed = items.flatMap((item, index): Keyed<Item>[] => {
    try {
      return [{ item, stored: storedKey(item.key) }];
    } catch (thrown) {
      errors.set(index, thrown as Error);
      return [];
    }
  });
  type Answer = Outcome | { readonly status: 'error'; readonly error: Error };
  const outcomes = await inStatements<Keyed<Item>, Answer>(keyed, run, (error) => ({
    status: 'error',
    error,
  }));
  let next = 0;
  return items.map((_, index): Answer => {
    const error = errors.get(index);
    if (error !== undefined) return { status: 'error', error };
    return outcomes[next++] ?? { status: 'error', error: noOutcome() };
  });
}

async function change(
  keyed: readonly Keyed<OwnedChange>[],
  table: ClaimsTable,
  signal: StopSignal | undefined,
): Promise<WriteOutcome<Row>[]> {
  const { rows } = await send(
    table,
    { text: table.texts().change, values: changeColumns(keyed), privileges: ['SELECT', 'UPDATE'] },
    signal,
  );
  const written = new Set(rows.map(({ key }) => key));
  return keyed.map(({ stored }) => (written.has(stored) ? WRITTEN : REFUSED));
}

/** One array for each column. Null where it stays as it is. */
function changeColumns(keyed: readonly Keyed<OwnedChange>[]): unknown[] {
  const changes = keyed.map(({ item }) => item.change);
  const ms = (value: number | undefined): number | null => (value === undefined ? null : storableMs(value));
  return [
    keyed.map(({ stored }) => stored),
    keyed.map(({ item }) => item.owner),
    changes.map(({ status }) => status ?? null),
    changes.map(({ leaseUntil }) => ms(leaseUntil)),
    changes.map(({ expiresAt }) => ms(expiresAt)),
    changes.map(({ completedAt }) => completedAt !== undefined),
    changes.map(({ result }) => result ?? null),
    changes.map(({ error }) => (error === undefined ? null : storableJson(error))),
    changes.map(({ releases }) => releases ?? null),
    changes.map(({ crashes }) => crashes ?? null),
    changes.map(({ started }) => started ?? null),
    keyed.map(({ item }) => ms(item.leaseUntilAtMost)),
  ];
}

async function read(
  keyed: readonly Keyed<unknown>[],
  table: ClaimsTable,
  signal: StopSignal | undefined,
): Promise<ReadOutcome<Row>[]> {
  const rows = await readRows(
    keyed.map(({ stored }) => stored),
    table,
    signal,
  );
  return keyed.map(({ stored }) => {
    const row = rows.get(stored)?.row;
    return row === undefined ? { status: 'read' } : { status: 'read', row };
  });
}
