import type { RowOperator } from '../rows/operate.ts';
import { inserting, readRows, replacing, WRITES_PER_SCRIPT } from './row-writer.ts';
import { claimOf, type Row, witnessesOf, writeOfClaim } from './row.ts';
import type { ScriptCaller } from './script-caller.ts';
import { DELETE, INSERT, REPLACE } from './scripts.ts';

const OPTIONS = { isFenced: true, mostRows: WRITES_PER_SCRIPT } as const;

/** What people change. Unlike what attempts read and write, its times are the rows' own. */
export function rowOperator(call: ScriptCaller): RowOperator<Row> {
  return {
    read: (keys) => readRows(keys, call),
    toClaim: (row) => claimOf(row, 0),
    insert: (claims) =>
      call(
        INSERT,
        claims.map((claim) => inserting(claim, '0')),
        OPTIONS,
      ),
    replace: (replacements) =>
      call(
        REPLACE,
        replacements.map(({ row, claim }) => replacing(row, claim.owner, writeOfClaim(claim), 0)),
        OPTIONS,
      ),
    delete: (rows) =>
      call(
        DELETE,
        rows.map((row) => ({ key: row.key, owner: '', args: witnessesOf(row) })),
        OPTIONS,
      ),
  };
}
