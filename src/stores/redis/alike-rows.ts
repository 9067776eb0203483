import type { StopSignal } from '../../base/stop.ts';
import type { Claim } from '../../claims/claim.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from '../../claims/claim-store.ts';
import { acquired, type ClaimChange, changeOfSettlement, firstClaim } from '../../claims/transitions.ts';
import { conditionalStore } from '../rows/conditional-store.ts';
import type { RowWriter, WriteOutcome } from '../rows/row-writer.ts';
import { FENCED, rowWriter, templateOf, UNFENCED } from './row-writer.ts';
import { type Row, writeOf } from './row.ts';
import type { ScriptCaller } from './script-caller.ts';
import type { ScriptAnswer } from './script-rows.ts';
import { CHANGE, INSERT } from './scripts.ts';

/** All times are relative to the server's. */
const CLOCK = { now: () => 0 };

/**
 * Wraps a conditional store with a shorter way for batches of first deliveries or completions, whose rows
 * differ only in key, owner and result: one claim or change serves all of them. Rows that the script did not
 * write are decided as usual, from its answers.
 */
export function alikeRowsStore(
  call: ScriptCaller,
  clockToleranceMs: number,
): ReturnType<typeof conditionalStore> {
  const writer = rowWriter(call);
  const storeBy = (known: Partial<RowWriter<Row>>): ReturnType<typeof conditionalStore> =>
    conditionalStore({ writer: { ...writer, ...known }, clock: CLOCK, clockToleranceMs });
  const store = storeBy({});

  async function acquireAlike(
    requests: readonly ClaimRequest[],
    claim: Claim,
    options?: StoreCallOptions,
  ): Promise<AcquireOutcome[]> {
    const { args: template } = templateOf(writeOf(claim, true), '');
    const items = requests.map(({ key, owner }) => ({ key, owner, template, args: [owner] }));
    const answers = await call(INSERT, items, FENCED, options?.signal);
    return withOthers(requests, answers, acquired(claim, false), (others, known) =>
      storeBy({ insert: knownAtFirst(known, writer.insert) }).acquire(others, options),
    );
  }

  async function completeAlike(
    completions: readonly Settlement[],
    change: ClaimChange,
    options?: StoreCallOptions,
  ): Promise<SettleOutcome[]> {
    const { args: template } = templateOf(writeOf(change, false), '');
    const items = completions.map((one) => ({ key: one.key, owner: one.owner, template, args: argsOf(one) }));
    const answers = await call(CHANGE, items, UNFENCED, options?.signal);
    return withOthers<Settlement, SettleOutcome>(completions, answers, 'stored', (others, known) =>
      storeBy({ change: knownAtFirst(known, writer.change) }).settle(others, options),
    );
  }

  return {
    ...store,
    acquire(requests, options) {
      const [first] = requests;
      return first !== undefined && requests.every((request) => isLikeFirst(request, first))
        ? acquireAlike(requests, firstClaim(first, 0), options)
        : store.acquire(requests, options);
    },
    settle(settlements, options) {
      const [first] = settlements;
      return first !== undefined && settlements.every((one) => endsLike(one, first))
        ? completeAlike(settlements, changeOfSettlement(first, 0), options)
        : store.settle(settlements, options);
    },
  };
}

function isLikeFirst(request: ClaimRequest, first: ClaimRequest): boolean {
  const { key, recordId } = request;
  return (
    request.isRedelivery !== true &&
    request.payloadHash === undefined &&
    (recordId === undefined || key.endsWith(recordId)) &&
    request.leaseMs === first.leaseMs &&
    request.retentionMs === first.retentionMs &&
    request.lockedBy === first.lockedBy &&
    request.recordsStart === first.recordsStart
  );
}

function endsLike(one: Settlement, first: Settlement): boolean {
  return (
    one.end === 'complete' &&
    first.end === 'complete' &&
    one.retentionMs === first.retentionMs &&
    (one.result === undefined) === (first.result === undefined)
  );
}

function argsOf(settlement: Settlement): string[] {
  const { owner } = settlement;
  return settlement.end === 'complete' && settlement.result !== undefined
    ? [settlement.result, owner]
    : [owner];
}

/** Returns `written` for the rows that were written, and asks for the outcomes of the others. */
async function withOthers<Item, Outcome>(
  items: readonly Item[],
  answers: readonly ScriptAnswer[],
  written: Outcome,
  ask: (others: Item[], known: ScriptAnswer[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes = items.map(() => written);
  const others: number[] = [];
  for (let index = 0; index < items.length; index += 1)
    if (answers[index]?.status !== 'written') others.push(index);
  if (others.length === 0) return outcomes;
  const given = await ask(
    others.map((index) => items[index] as Item),
    others.map((index) => answers[index] as ScriptAnswer),
  );
  others.forEach((index, at) => (outcomes[index] = given[at] as Outcome));
  return outcomes;
}

/** Returns a write whose first call has been made already, with these answers. */
function knownAtFirst<Rows>(known: ScriptAnswer[], write: Write<Rows>): Write<Rows> {
  let isFirst = true;
  return (rows, signal) => {
    if (!isFirst) return write(rows, signal);
    isFirst = false;
    return Promise.resolve(known);
  };
}

type Write<Rows> = (rows: Rows, signal?: StopSignal) => Promise<WriteOutcome<Row>[]>;
