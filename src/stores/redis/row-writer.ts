import type { ReadOutcome, RowWriter } from '../rows/row-writer.ts';
import {
  claimOf,
  type Fields,
  isAlike,
  leftBy,
  ownValues,
  type Row,
  type RowWrite,
  witnessesOf,
  writeOf,
} from './row.ts';
import type { ScriptCaller } from './script-caller.ts';
import type { ScriptAnswer, ScriptItem } from './script-rows.ts';
import { CHANGE, INSERT, READ, REPLACE } from './scripts.ts';

/** Redis does nothing else while a script runs: 500 rows take it some 2 ms. */
export const WRITES_PER_SCRIPT = 500;
/** Each replacement usually has a template of its own, which takes longer. */
const REPLACEMENTS_PER_SCRIPT = 250;
/** Rows that are read may have long results. */
const READS_PER_SCRIPT = 100;

export const FENCED: { readonly isFenced: boolean; readonly mostRows: number } = {
  isFenced: true,
  mostRows: WRITES_PER_SCRIPT,
};
export const UNFENCED: typeof FENCED = { ...FENCED, isFenced: false } as const;
const REPLACING = { ...FENCED, mostRows: REPLACEMENTS_PER_SCRIPT } as const;
const READING = { isFenced: false, mostRows: READS_PER_SCRIPT } as const;
/** For people: they see the primary's rows without waiting for replicas. */
const LOOKING = { ...READING, waits: false } as const;

/**
 * Writes and reads claims as hashes. Times are relative to the server's time at the write or the read. With
 * `isRelative: false`, for people, they are the times in the rows.
 */
export function rowWriter(call: ScriptCaller, isRelative = true): RowWriter<Row> {
  const timeOf = (row: Row): number => (isRelative ? row.now : 0);
  return {
    insert(claims, signal) {
      const templateOf = templates(true, isRelative ? '' : '0');
      const items = claims.map((claim) => itemOf(claim, templateOf(claim), claim));
      return call(INSERT, items, FENCED, signal);
    },
    replace(replacements, signal) {
      const items = replacements.map(({ row, claim }) => {
        const write = writeOf(claim, true);
        // The decision was made at the time of the read, so the times of the write are relative to it.
        const template = templateOf({ ...write, removed: leftBy(write, row) }, String(timeOf(row)));
        return itemOf({ key: row.key, owner: claim.owner }, template, claim, witnessesOf(row));
      });
      return call(REPLACE, items, REPLACING, signal);
    },
    change(changes, signal) {
      const templateOf = templates(false, '');
      const items = changes.map((owned) => {
        const { owner, change, leaseUntilAtMost } = owned;
        return itemOf(owned, templateOf(change, leaseUntilAtMost), change, [owner]);
      });
      // The end of an attempt is stored however late it comes.
      const isEnd = changes.some(({ change }) => change.status !== undefined);
      return call(CHANGE, items, isEnd ? UNFENCED : FENCED, signal);
    },
    read: (keys) => readRows(keys, call, isRelative ? READING : LOOKING),
    toClaim: (row) => claimOf(row, timeOf(row)),
  };
}

/** Reads rows, by default without waiting for replicas. */
export async function readRows(
  keys: readonly string[],
  call: ScriptCaller,
  options: Parameters<ScriptCaller>[2] = LOOKING,
): Promise<ReadOutcome<Row>[]> {
  const items = keys.map((key) => ({ key, args: [] }));
  return (await call(READ, items, options)).map(readOf);
}

/** A template, and the write that it came from. */
export interface WriteTemplate {
  readonly write: RowWrite;
  readonly args: readonly string[];
}

/** Returns a function that makes the templates of one call. Adjacent rows that are alike share a template. */
function templates(isWhole: boolean, base: string): (fields: Fields, leaseAtMost?: number) => WriteTemplate {
  let last: { fields: Fields; leaseAtMost: number | undefined; template: WriteTemplate } | undefined;
  return (fields, leaseAtMost) => {
    if (last === undefined || last.leaseAtMost !== leaseAtMost || !isAlike(last.fields, fields)) {
      last = { fields, leaseAtMost, template: templateOf(writeOf(fields, isWhole), base, leaseAtMost) };
    }
    return last.template;
  };
}

/** `base`: the time to which the times of the write are relative; empty: the server's. */
export function templateOf(write: RowWrite, base: string, leaseAtMost?: number): WriteTemplate {
  const { times, texts, own, removed, lastsMs } = write;
  const args = [
    base,
    lastsMs === undefined ? '' : String(lastsMs),
    leaseAtMost === undefined ? '' : String(leaseAtMost),
    String(times.length / 2),
    ...times,
    String(texts.length / 2),
    ...texts,
    String(removed.length),
    ...removed,
    String(own.length),
    ...own,
  ];
  return { write, args };
}

/** `compared`: the texts that the script compares the stored row with. */
function itemOf(
  { key, owner }: { readonly key: string; readonly owner: string },
  { write, args }: WriteTemplate,
  fields: Fields,
  compared: readonly string[] = [],
): ScriptItem {
  return { key, owner, template: args, args: [...ownValues(write, fields), ...compared] };
}

function readOf(answer: ScriptAnswer): ReadOutcome<Row> {
  if (answer.status === 'error') return answer;
  if (answer.status === 'refused' && answer.row !== undefined) return { status: 'read', row: answer.row };
  return { status: 'read' };
}
