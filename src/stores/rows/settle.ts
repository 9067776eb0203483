import type { ClaimStore, OwnedClaim, SettleOutcome } from '../../claims/claim-store.ts';
import type { Claim } from '../../claims/claim.ts';
import type { Clock } from '../../base/clock.ts';
import type { StopSignal } from '../../base/stop.ts';
import {
  changeOfExtension,
  changeOfSettlement,
  changeOfStart,
  isAlreadySettled,
  isOwnedBy,
} from '../../claims/transitions.ts';
import { noOutcome, type OwnedChange, type RowWriter } from './row-writer.ts';

export type OwnedWriter<Row> = Pick<RowWriter<Row>, 'change' | 'read' | 'toClaim'>;

interface OwnersSetup<Row> {
  readonly writer: OwnedWriter<Row>;
  /** `{ now: () => 0 }` if the database adds its own time to each write. */
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Returns the methods for the owner of a claim. Each write requires IN_PROGRESS and the attempt's own owner.
 * After a refused write the row is read: an earlier sending, whose answer was lost, may have been stored.
 */
export function ownersMethods<Row>({
  writer,
  clock,
}: OwnersSetup<Row>): Required<Pick<ClaimStore, 'settle' | 'extend' | 'start'>> {
  return {
    async settle(settlements, options) {
      const now = clock.now();
      const changes = settlements.map((one) => changeOf(one, changeOfSettlement(one, now)));
      return writeOwned(settlements, changes, isAlreadySettled, writer, options?.signal);
    },

    /** A lease never becomes shorter: an abandoned request may arrive after a later, longer extension. */
    async extend(extensions, options) {
      const now = clock.now();
      const changes = extensions.map((extension) => {
        const change = changeOfExtension(extension, now);
        // rule: growing-leases
        return { ...changeOf(extension, change), leaseUntilAtMost: change.leaseUntil };
      });
      return writeOwned(extensions, changes, isStillMine, writer, options?.signal);
    },

    async start(claims, options) {
      const now = clock.now();
      const changes = claims.map((claim) => changeOf(claim, changeOfStart(now)));
      return writeOwned(claims, changes, isStillMine, writer, options?.signal);
    },
  };
}

/** An extension or start that is refused on its own owner's row has nothing left to do. */
function isStillMine(stored: Claim, { owner }: OwnedClaim): boolean {
  return isOwnedBy(stored, owner);
}

function changeOf({ key, owner }: OwnedClaim, change: OwnedChange['change']): OwnedChange {
  return { key, owner, change };
}

/** Writes, then reads the rows of refused writes: they may show that the write was stored before. */
async function writeOwned<Row, Item extends OwnedClaim>(
  items: readonly Item[],
  changes: readonly OwnedChange[],
  isMyOwnSuccess: (stored: Claim, item: Item) => boolean,
  writer: OwnedWriter<Row>,
  signal: StopSignal | undefined,
): Promise<SettleOutcome[]> {
  // rule: stored-as-written
  const writes = await writer.change(changes, signal);
  const unseen = items.filter((_, index) => {
    const write = writes[index];
    return write?.status === 'refused' && write.row === undefined;
  });
  const keys = unseen.map(({ key }) => key);
  const reads = keys.length === 0 ? [] : await writer.read(keys, signal);
  let next = 0;
  return items.map((item, index): SettleOutcome => {
    const write = writes[index];
    if (write?.status === 'written') return 'stored';
    if (write?.status !== 'refused') return { error: write?.error ?? noOutcome() };
    const read = write.row === undefined ? reads[next++] : { status: 'read' as const, row: write.row };
    if (read?.status === 'error') return { error: read.error };
    const stored = read?.row === undefined ? undefined : claimIn(read.row, writer);
    return stored !== undefined && isMyOwnSuccess(stored, item) ? 'stored' : 'lost';
  });
}

/** Undefined for a row that is no longer a claim, and so not this owner's. */
function claimIn<Row>(row: Row, writer: OwnedWriter<Row>): Claim | undefined {
  try {
    return writer.toClaim(row);
  } catch {
    return undefined;
  }
}
