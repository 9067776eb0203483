import type { Row } from '../stores/dynamodb/row.ts';
import { counterOf, keyOf, type LaneCounter, type OutboxRow, placeOfOnly, rowOf } from './dynamodb-row.ts';
import { type OutboxTable, readFirst, readItems } from './dynamodb-table.ts';

/** The beginning of a lane, and what a relay may do with it. */
export interface LaneHead {
  readonly lane: string;
  /** The rows to send, in order. */
  readonly due: readonly OutboxRow[];
  /** The rows that are sent, and only left to delete. */
  readonly sent: readonly OutboxRow[];
  /**
   * Why the lane ends after `due`. `end`: it has no more rows. `parked`: its next row waits for a person.
   * `gap`: the row before the next one is not visible yet. `page`: there is more to read.
   */
  readonly ends: 'end' | 'parked' | 'gap' | 'page';
}

/** The most rows in memory. A query also ends at 1 MB. */
const MOST_ROWS = 1_000;

/** Reads the beginnings of lanes: rows without a group in one request, those of a group in one each. */
export async function readLanes(table: OutboxTable, lanes: readonly string[]): Promise<LaneHead[]> {
  const limit = Math.ceil(MOST_ROWS / lanes.length);
  const alone = lanes.flatMap((lane) => placeOfOnly(lane) ?? []);
  const groups = lanes.filter((lane) => placeOfOnly(lane) === undefined);
  const [items, pages] = await Promise.all([
    readItems(table, alone.map(keyOf)),
    Promise.all(groups.map((lane) => readHead(table, lane, limit + 1))),
  ]);
  return [...items.map((item) => headOf(item['lane']?.S ?? '', [item])), ...pages];
}

/** Reads pages up to the first with rows for a relay: dropped rows are kept, and may fill pages before it. */
async function readHead(table: OutboxTable, lane: string, limit: number): Promise<LaneHead> {
  let counter: LaneCounter | undefined;
  let start: Row | undefined;
  while (true) {
    const { Items = [], LastEvaluatedKey } = await readFirst(table, lane, limit, start);
    counter ??= Items.map(counterOf).find((found) => found !== undefined);
    const head = headOf(lane, Items, { counter, hasMore: LastEvaluatedKey !== undefined });
    if (head.ends !== 'page' || head.due.length + head.sent.length > 0) return head;
    start = LastEvaluatedKey;
  }
}

/**
 * Returns what may be sent of a lane. A query is not isolated from transactions: it may return a row without
 * the one that was committed before it. So a row with a number is sent only if the row before it is read
 * too, or is noted as sent.
 */
function headOf(
  lane: string,
  items: readonly Row[],
  {
    counter,
    hasMore = false,
  }: { readonly counter?: LaneCounter | undefined; readonly hasMore?: boolean } = {},
): LaneHead {
  const due: OutboxRow[] = [];
  const sent: OutboxRow[] = [];
  let before: number | undefined;
  for (const item of items) {
    const row = rowOf(item);
    // A dropped row holds nothing. The counter notes it as sent, but it is kept for people.
    if (row === undefined || row.state === 'DROPPED') continue;
    if (isNotedAsSent(row, counter)) {
      sent.push(row);
      continue;
    }
    // rule: parked-row-holds-lane
    if (row.state === 'PARKED') return { lane, due, sent, ends: 'parked' };
    if (!isNext(row, before, counter)) return { lane, due, sent, ends: 'gap' };
    due.push(row);
    before = row.number ?? before;
  }
  return { lane, due, sent, ends: hasMore ? 'page' : 'end' };
}

function isNotedAsSent({ number }: OutboxRow, counter: LaneCounter | undefined): boolean {
  if (number === undefined || counter?.sent === undefined) return false;
  return number >= counter.first && number <= counter.sent;
}

/** Rows older than the counter are older than its time to live: their transactions are over. */
function isNext(
  { number, after }: OutboxRow,
  before: number | undefined,
  counter: LaneCounter | undefined,
): boolean {
  if (number === undefined || after === undefined || counter === undefined) return true;
  return number <= counter.first || after === before || after <= (counter.sent ?? -Infinity);
}
