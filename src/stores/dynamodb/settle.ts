import type { LeaseExtension, OwnedClaim, SettleOutcome, Settlement } from '../../claims/claim-store.ts';
import type { Claim } from '../../claims/claim.ts';
import type { Clock } from '../../claims/clock.ts';
import { StoreError } from '../../claims/errors.ts';
import {
  type ClaimChange,
  changeOfExtension,
  changeOfSettlement,
  changeOfStart,
  isAlreadySettled,
  isOwnedBy,
} from '../../claims/transitions.ts';
import type { Row, RowFormat } from './row.ts';
import type { RowUpdate, RowWriter, WriteOutcome } from './row-writer.ts';

export interface SettleSetup {
  readonly writer: RowWriter;
  readonly format: RowFormat;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Ends attempts: conditional on IN_PROGRESS and the attempt's own owner. A refused write is looked at once
 * more, because it may be the second sending of one that was stored and whose answer was lost.
 */
export async function settleClaims(
  settlements: readonly Settlement[],
  { writer, format, clock }: SettleSetup,
  signal?: AbortSignal,
): Promise<SettleOutcome[]> {
  const now = clock.now();
  const updates = settlements.map((settlement) =>
    ownedUpdate(settlement, changeOfSettlement(settlement, now), format),
  );
  return writeOwned(settlements, updates, isAlreadySettled, { writer, format }, signal);
}

/**
 * Prolongs leases, on the same condition, and on another: a lease never becomes shorter. A request that was
 * given up on and sent again may still arrive, after a later one has made the lease longer.
 */
export async function extendLeases(
  extensions: readonly LeaseExtension[],
  { writer, format, clock }: SettleSetup,
  signal?: AbortSignal,
): Promise<SettleOutcome[]> {
  const now = clock.now();
  const { leaseUntil } = format.names;
  const updates = extensions.map((extension) => {
    const update = ownedUpdate(extension, changeOfExtension(extension, now), format);
    const wanted = update.set[leaseUntil];
    return wanted === undefined ? update : { ...update, whereAtMost: { [leaseUntil]: wanted } };
  });
  return writeOwned(extensions, updates, isStillMine, { writer, format }, signal);
}

/** Notes that handlers start, on the same condition. */
export async function startClaims(
  claims: readonly OwnedClaim[],
  { writer, format, clock }: SettleSetup,
  signal?: AbortSignal,
): Promise<SettleOutcome[]> {
  const now = clock.now();
  const updates = claims.map((claim) => ownedUpdate(claim, changeOfStart(now), format));
  return writeOwned(claims, updates, isStillMine, { writer, format }, signal);
}

/** A write that was refused over a row of its own owner's had nothing left to do: the row has it, or a longer lease. */
function isStillMine(stored: Claim, { owner }: OwnedClaim): boolean {
  return isOwnedBy(stored, owner);
}

/** Writes, and looks at the rows behind what was refused: they may show that there was nothing left to write. */
async function writeOwned<Item extends { readonly key: string }>(
  items: readonly Item[],
  updates: readonly RowUpdate[],
  isMyOwnSuccess: (stored: Claim, item: Item) => boolean,
  { writer, format }: Pick<SettleSetup, 'writer' | 'format'>,
  signal: AbortSignal | undefined,
): Promise<SettleOutcome[]> {
  const writes = await writer.update(updates, signal);
  const rows = await rowsBehindRefusals(items, writes, writer, signal);
  return items.map((item, index) => {
    const row = rows.get(index);
    if (row === undefined) return settleOutcome(writes[index]);
    if (row instanceof Error) return { error: row };
    const stored = claimIn(row, format);
    return stored !== undefined && isMyOwnSuccess(stored, item) ? 'stored' : 'lost';
  });
}

/** The update of a claim, on the condition that it is in progress and still its owner's. */
export function ownedUpdate(
  { key, owner }: { readonly key: string; readonly owner: string },
  change: ClaimChange,
  format: RowFormat,
): RowUpdate {
  return { key, ...format.toChange(change), where: format.whereOwnedBy(owner) };
}

function settleOutcome(write: WriteOutcome | undefined): SettleOutcome {
  if (write?.status === 'written') return 'stored';
  if (write?.status === 'refused') return 'lost';
  return { error: write?.error ?? new StoreError('DynamoDB gave no outcome', { isRetryable: true }) };
}

/** The row of every refused write, from the refusal itself or read; nothing for rows that are gone. */
async function rowsBehindRefusals(
  items: readonly { readonly key: string }[],
  writes: readonly WriteOutcome[],
  writer: RowWriter,
  signal: AbortSignal | undefined,
): Promise<Map<number, Row | Error>> {
  const rows = new Map<number, Row | Error>();
  const unseen: number[] = [];
  writes.forEach((write, index) => {
    if (write.status !== 'refused') return;
    if (write.row === undefined) unseen.push(index);
    else rows.set(index, write.row);
  });
  if (unseen.length === 0) return rows;

  const reads = await writer.read(
    unseen.map((index) => (items[index] as { readonly key: string }).key),
    signal,
  );
  unseen.forEach((index, position) => {
    const read = reads[position];
    if (read?.status === 'error') rows.set(index, read.error);
    else if (read?.row !== undefined) rows.set(index, read.row);
  });
  return rows;
}

/** Undefined for what is no claim any more, and so not ours either. */
function claimIn(row: Row, format: RowFormat): Claim | undefined {
  try {
    return format.toClaim(row);
  } catch {
    return undefined;
  }
}
