import type { OwnedChange, Replacement, RowWriter } from '../conditional/row-writer.ts';
import type { ItemUpdate, ItemWriter } from './item-writer.ts';
import type { Row, RowFormat } from './row.ts';

/** Claims as items of a table, in a format. */
export function rowWriter(items: ItemWriter, format: RowFormat): RowWriter<Row> {
  return {
    insert: (claims, signal) => items.insert(claims.map(format.toRow), signal),
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
function replacing({ row, claim }: Replacement<Row>, format: RowFormat): ItemUpdate {
  const set = format.toRow(claim);
  const key = format.toKey(claim.key);
  for (const name of Object.keys(key)) delete set[name];
  const remove = format.attributes.filter((name) => name in row && !(name in set) && !(name in key));
  return { key: claim.key, set, remove, where: format.whereStill(row) };
}

/** The update of a claim, on the condition that it is in progress and still its owner's. */
export function changing(
  { key, owner, change, leaseUntilAtMost: leaseUntil }: OwnedChange,
  format: RowFormat,
): ItemUpdate {
  const update = { key, ...format.toChange(change), where: format.whereOwnedBy(owner) };
  return leaseUntil === undefined ? update : { ...update, whereAtMost: format.toChange({ leaseUntil }).set };
}
