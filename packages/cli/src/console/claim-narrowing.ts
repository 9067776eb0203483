import {
  type Claim,
  type ClaimState,
  parkedKindOf,
  stateOf,
  timesOf,
  typeOfKey,
} from 'batchlatch/operations';

/** The part of a filter that no index answers. Claims without a value that it asks for do not match. */
export interface Narrowing {
  /** The type in the key. */
  readonly type?: string;
  /** The name of the error of a failed or parked claim. */
  readonly error?: string;
  /** The earliest end of the last attempt, in epoch milliseconds. */
  readonly endedFrom?: number;
  /** The time before which the last attempt ended, in epoch milliseconds. */
  readonly endedBefore?: number;
  /** The shortest running time of a completed claim, in milliseconds. */
  readonly ranMs?: number;
  /** The shortest time between the first attempt of a completed claim and the last, in milliseconds. */
  readonly waitedMs?: number;
  /** The shortest time since the first attempt of a claim that is not completed, in milliseconds. */
  readonly ageMs?: number;
  /** The function, version or worker that holds the claim. */
  readonly holder?: string;
  /** Claims whose work may have run twice, or claims that a person changed. */
  readonly past?: 'ran-twice' | 'changed';
}

/** Whether a filter narrows at all. */
export function isNarrow(narrowing: Narrowing): boolean {
  return Object.values(narrowing).some((value) => value !== undefined);
}

/** Returns whether a claim matches everything that is asked for. */
export function matches(claim: Claim, narrowing: Narrowing, now: number): boolean {
  const { type, error, endedFrom, endedBefore, ranMs, waitedMs, ageMs, holder, past } = narrowing;
  const state = stateOf(claim, now);
  const times = ranMs === undefined && waitedMs === undefined ? {} : timesOf(claim);
  return (
    (type === undefined || typeOfKey(claim.key) === type) &&
    (error === undefined || errorOf(claim, state) === error) &&
    isWithin(endOf(claim, state), endedFrom, endedBefore) &&
    isAtLeast(times.runningMs, ranMs) &&
    isAtLeast(times.waitingMs, waitedMs) &&
    isAtLeast(state === 'completed' ? undefined : now - claim.createdAt, ageMs) &&
    (holder === undefined || (isHeld(state) && holderOf(claim) === holder)) &&
    (past === undefined || (past === 'changed' ? isChanged(claim) : mayHaveRunTwice(claim, state)))
  );
}

/** Returns the function and version, or the worker, without the request id. */
export function holderOf({ lockedBy }: Pick<Claim, 'lockedBy'>): string | null {
  return lockedBy?.split(' ', 1)[0] || null;
}

function isHeld(state: ClaimState): boolean {
  return state === 'in-progress' || state === 'overdue';
}

function errorOf({ error }: Claim, state: ClaimState): string | undefined {
  return state === 'failed' || state === 'parked' ? error?.name : undefined;
}

function endOf({ completedAt, updatedAt }: Claim, state: ClaimState): number | undefined {
  return isHeld(state) ? undefined : (completedAt ?? updatedAt);
}

function isWithin(value: number | undefined, from: number | undefined, before: number | undefined): boolean {
  if (before !== undefined && (value === undefined || value >= before)) return false;
  return isAtLeast(value, from);
}

function isAtLeast(value: number | undefined, least: number | undefined): boolean {
  return least === undefined || (value !== undefined && value >= least);
}

function isChanged({ history }: Claim): boolean {
  return (history?.length ?? 0) > 0;
}

/**
 * Whether an earlier attempt of a completed claim may have done the work: it died in its handler, or a person
 * released the claim although the work was done, was running, or had an unknown outcome.
 */
function mayHaveRunTwice({ crashes, history = [] }: Claim, state: ClaimState): boolean {
  if (state !== 'completed') return false;
  return (
    crashes > 0 ||
    history.some(({ operation, from }) => {
      if (operation !== 'release') return false;
      if (from?.status !== 'PARKED') return from?.status === 'COMPLETED' || from?.status === 'IN_PROGRESS';
      const kind = parkedKindOf({ status: 'PARKED', ...(from.error && { error: from.error }) });
      return kind === 'lapsed' || kind === 'done';
    })
  );
}
