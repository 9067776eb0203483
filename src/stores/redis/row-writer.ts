import type { Claim } from '../../claims/claim.ts';
import type { ReadOutcome, RowWriter } from '../rows/row-writer.ts';
import { claimOf, leftBy, type Row, type RowWrite, witnessesOf, writeOfChange, writeOfClaim } from './row.ts';
import type { ScriptAnswer, ScriptCaller, ScriptItem } from './script-caller.ts';
import { CHANGE, INSERT, READ, REPLACE } from './scripts.ts';

/** A write of 250 rows takes Redis some 4 ms, and it does nothing else meanwhile. */
export const WRITES_PER_SCRIPT = 250;
/** Rows that are read may have long results. */
const READS_PER_SCRIPT = 100;

const FENCED = { isFenced: true, mostRows: WRITES_PER_SCRIPT } as const;
const UNFENCED = { ...FENCED, isFenced: false } as const;
const READING = { isFenced: false, mostRows: READS_PER_SCRIPT } as const;
/** For people, who see what the primary has. */
const LOOKING = { ...READING, waits: false } as const;

/**
 * Claims as hashes. The times of claims are relative here: those that are written are relative to the time of the server when
 * it writes, and those that are read to its time when it reads.
 */
export function rowWriter(call: ScriptCaller): RowWriter<Row> {
  return {
    insert: (claims, signal) =>
      call(
        INSERT,
        claims.map((claim) => inserting(claim, '')),
        FENCED,
        signal,
      ),
    replace: (replacements, signal) =>
      call(
        REPLACE,
        // What was read is relative to the time of reading, and so is what was decided from it.
        replacements.map(({ row, claim }) => replacing(row, claim.owner, writeOfClaim(claim), row.now)),
        FENCED,
        signal,
      ),
    change: (changes, signal) =>
      call(
        CHANGE,
        changes.map((owned) =>
          itemOf(
            owned,
            [owned.owner, owned.leaseUntilAtMost === undefined ? '' : String(owned.leaseUntilAtMost)],
            writeOfChange(owned.change),
            '',
          ),
        ),
        // The end of an attempt is stored however late it comes.
        changes.some(({ change }) => change.status !== undefined) ? UNFENCED : FENCED,
        signal,
      ),
    read: async (keys) => (await call(READ, keys.map(itemToRead), READING)).map(readOf),
    toClaim: (row) => claimOf(row, row.now),
  };
}

/** Rows as the primary has them, also where the store waits for replicas. */
export async function readRows(keys: readonly string[], call: ScriptCaller): Promise<ReadOutcome<Row>[]> {
  return (await call(READ, keys.map(itemToRead), LOOKING)).map(readOf);
}

function itemToRead(key: string): ScriptItem {
  return { key, args: [] };
}

/** Writes a row unless there is one, times that are relative to `base`. */
export function inserting(claim: Claim, base: string): ScriptItem {
  return itemOf(claim, [], writeOfClaim(claim), base);
}

/** Writes over a row that is still as it was read, times that are relative to `base`. */
export function replacing(row: Row, owner: string, write: RowWrite, base: number): ScriptItem {
  const removed = [...write.removed, ...leftBy(write, row)];
  return itemOf({ key: row.key, owner }, witnessesOf(row), { ...write, removed }, String(base));
}

/** `base`: what the times of the write are relative to; empty: the server's time. */
function itemOf(
  { key, owner }: { readonly key: string; readonly owner: string },
  args: readonly string[],
  { times, texts, own, removed, lastsMs }: RowWrite,
  base: string,
): ScriptItem {
  const template = [
    base,
    lastsMs === undefined ? '' : String(lastsMs),
    String(times.length / 2),
    ...times,
    String(texts.length / 2),
    ...texts,
    String(removed.length),
    ...removed,
  ];
  return { key, owner, args, write: { template, own } };
}

function readOf(answer: ScriptAnswer): ReadOutcome<Row> {
  if (answer.status === 'error') return answer;
  if (answer.status === 'refused' && answer.row !== undefined) return { status: 'read', row: answer.row };
  return { status: 'read' };
}
