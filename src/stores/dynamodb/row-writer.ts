import type { Claim, ClaimStatus } from '../../claims/claim.ts';
import type { OwnedChange, Replacement, RowWriter } from '../conditional/row-writer.ts';
import type { ItemUpdate, ItemWriter } from './item-writer.ts';
import { OVERDUE_SHARD } from './overdue-index.ts';
import type { Row, RowFormat } from './row.ts';

/** Claims as items of a table, in a format. */
export function rowWriter(items: ItemWriter, format: RowFormat): RowWriter<Row> {
  return {
    insert: (claims, signal) =>
      items.insert(
        claims.map((claim) => rowOf(claim, format)),
        signal,
      ),
    replace: (replacements, signal) =>
      items.update(
        replacements.map((replacement) =>
          outOfIndex(replacing(replacement, format), replacement.row, format),
        ),
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
export function replacing({ row, claim }: Replacement<Row>, format: RowFormat): ItemUpdate {
  const set = rowOf(claim, format);
  const key = format.toKey(claim.key);
  for (const name of Object.keys(key)) delete set[name];
  const remove = format.attributes.filter((name) => name in row && !(name in set) && !(name in key));
  return { key: claim.key, set, remove, where: format.whereStill(row) };
}

/** A store that was not told of the index could not take the claim out of it at its end, so it does when it takes over. */
function outOfIndex(update: ItemUpdate, row: Row, format: RowFormat): ItemUpdate {
  if (format.shardOf !== undefined || !(OVERDUE_SHARD in row)) return update;
  if (OVERDUE_SHARD in update.set) return update;
  // First: what else is removed may become NULL, which no key of an index can be.
  return { ...update, remove: [OVERDUE_SHARD, ...update.remove] };
}

/** The update of a claim, on the condition that it is in progress and still its owner's. */
export function changing(
  { key, owner, change, leaseUntilAtMost: leaseUntil }: OwnedChange,
  format: RowFormat,
): ItemUpdate {
  const { set, remove } = format.toChange(change);
  const update = { key, set, remove, where: format.whereOwnedBy(owner) };
  if (change.status !== undefined && format.shardOf !== undefined) {
    const shard = shardAttribute(key, change.status, format.shardOf);
    if (shard === undefined) update.remove.unshift(OVERDUE_SHARD);
    else update.set[OVERDUE_SHARD] = shard;
  }
  return leaseUntil === undefined ? update : { ...update, whereAtMost: format.toChange({ leaseUntil }).set };
}

function rowOf(claim: Claim, format: RowFormat): Row {
  const row = format.toRow(claim);
  const shard = format.shardOf && shardAttribute(claim.key, claim.status, format.shardOf);
  if (shard !== undefined) row[OVERDUE_SHARD] = shard;
  return row;
}

function shardAttribute(
  key: string,
  status: ClaimStatus,
  shardOf: NonNullable<RowFormat['shardOf']>,
): { readonly S: string } | undefined {
  const shard = shardOf(key, status);
  return shard === undefined ? undefined : { S: shard };
}
