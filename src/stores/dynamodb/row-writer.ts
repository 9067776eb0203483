import type { Claim } from '../../claims/claim.ts';
import type { OwnedChange, Replacement, RowWriter } from '../rows/row-writer.ts';
import type { ItemUpdate, ItemWriter } from './item-writer.ts';
import { OVERDUE_SHARD, type ShardedFormat } from './overdue-index.ts';
import type { Row } from './row.ts';

/** Claims as items of a table, in a format. */
export function rowWriter(items: ItemWriter, format: ShardedFormat): RowWriter<Row> {
  return {
    insert: (claims, signal) =>
      items.insert(
        claims.map((claim) => rowOf(claim, format)),
        signal,
      ),
    replace: (replacements, signal) =>
      items.update(
        replacements.map((replacement) => replacing(replacement, format)),
        signal,
      ),
    change: (changes, signal) =>
      items.update(
        changes.map((change) => changing(change, format)),
        signal,
      ),
    read: (keys, signal) => items.read(keys, signal),
    toClaim: (row) => format.toClaim(row),
  };
}

/** Writes the new claim over the row that was read, if it is still that row. */
export function replacing({ row, claim }: Replacement<Row>, format: ShardedFormat): ItemUpdate {
  const set = rowOf(claim, format);
  const key = format.toKey(claim.key);
  for (const name of Object.keys(key)) delete set[name];
  const remove = format.attributes.filter((name) => name in row && !(name in set) && !(name in key));
  return { key: claim.key, set, remove, where: format.whereStill(row) };
}

/** The update of a claim, on the condition that it is in progress and still its owner's. */
export function changing(
  { key, owner, change, leaseUntilAtMost: leaseUntil }: OwnedChange,
  format: ShardedFormat,
): ItemUpdate {
  const { set, remove } = format.toChange(change);
  const update = { key, set, remove, where: format.whereOwnedBy(owner) };
  if (change.status !== undefined) {
    const shard = format.shardOf(key, change.status);
    // First: what else is removed may become NULL, which no key of an index can be.
    if (shard === undefined) update.remove.unshift(OVERDUE_SHARD);
    else update.set[OVERDUE_SHARD] = shard;
  }
  return leaseUntil === undefined ? update : { ...update, whereAtMost: format.toChange({ leaseUntil }).set };
}

function rowOf(claim: Claim, format: ShardedFormat): Row {
  const row = format.toRow(claim);
  const shard = format.shardOf(claim.key, claim.status);
  if (shard !== undefined) row[OVERDUE_SHARD] = shard;
  return row;
}
