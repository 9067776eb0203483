import type { StopSignal } from '../../base/stop.ts';
import type { OwnedChange, ReadOutcome, Replacement, RowWriter, WriteOutcome } from '../rows/row-writer.ts';
import { OVERDUE_SHARD, type ShardedFormat } from './overdue-index.ts';
import type { RetrySetup } from './retry.ts';
import type { Row } from './row.ts';
import type { Transport } from './transport.ts';

/**
 * The item requests of a table: conditional inserts and updates, and strongly consistent reads. Each call
 * takes any number of different keys and returns one outcome each, in order; one failure does not affect the
 * others. `batch-writer.ts` sends 25 PartiQL statements in a request, `single-writer.ts` a request per item.
 */
export interface ItemWriter {
  insert(rows: readonly Row[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  update(updates: readonly ItemUpdate[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  read(keys: readonly string[], signal?: StopSignal): Promise<ReadOutcome<Row>[]>;
}

export interface ItemUpdate {
  readonly key: string;
  readonly set: Row;
  readonly remove: readonly string[];
  /** Nothing is written unless each of these attributes has this value. */
  readonly where: Row;
  /** Nothing is written unless each of these attributes is at most this number. */
  readonly whereAtMost?: Row;
}

export interface WriterSetup extends RetrySetup {
  readonly transport: Transport;
  readonly tableName: string;
  readonly format: ShardedFormat;
}

export const WRITTEN: WriteOutcome<Row> = { status: 'written' };

export function refused(row: Row | undefined): WriteOutcome<Row> {
  return row === undefined ? { status: 'refused' } : { status: 'refused', row };
}

export function found(row: Row | undefined): ReadOutcome<Row> {
  return row === undefined ? { status: 'read' } : { status: 'read', row };
}

/** Adapts an item writer to claims, in a format. */
export function rowWriter(items: ItemWriter, format: ShardedFormat): RowWriter<Row> {
  return {
    insert(claims, signal) {
      const rows = claims.map((claim) => format.toRow(claim));
      return items.insert(rows, signal);
    },
    replace(replacements, signal) {
      const updates = replacements.map((replacement) => replacing(replacement, format));
      return items.update(updates, signal);
    },
    change(changes, signal) {
      const updates = changes.map((change) => changing(change, format));
      return items.update(updates, signal);
    },
    read: (keys, signal) => items.read(keys, signal),
    toClaim: (row) => format.toClaim(row),
  };
}

/** Returns the update that writes the claim over the row if it is still as it was read. */
function replacing({ row, claim }: Replacement<Row>, format: ShardedFormat): ItemUpdate {
  const set = format.toRow(claim);
  const key = format.toKey(claim.key);
  for (const name of Object.keys(key)) delete set[name];
  const remove = format.attributes.filter((name) => name in row && !(name in set) && !(name in key));
  return { key: claim.key, set, remove, where: format.whereStill(row) };
}

/** Returns the update of a claim that is in progress and still its owner's. */
export function changing(
  { key, owner, change, leaseUntilAtMost: leaseUntil }: OwnedChange,
  format: ShardedFormat,
): ItemUpdate {
  const { set, remove } = format.toChange(change);
  const update = { key, set, remove, where: format.whereOwnedBy(owner) };
  if (change.status !== undefined) {
    const shard = format.shardOf(key, change.status);
    // First, because later removals may be written as NULL, which an index key cannot be.
    if (shard === undefined) update.remove.unshift(OVERDUE_SHARD);
    else update.set[OVERDUE_SHARD] = shard;
  }
  return leaseUntil === undefined ? update : { ...update, whereAtMost: format.toChange({ leaseUntil }).set };
}
