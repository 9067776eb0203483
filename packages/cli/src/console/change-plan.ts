import {
  type Claim,
  type ClaimAdmin,
  claimJson,
  type ClaimState,
  type OperationKind,
  refusalOf,
  type RefusalReason,
  type SeenClaim,
  stateOf,
} from 'batchlatch/operations';
import type { PlanJson, SeenJson } from './api.ts';
import { badRequest, messageOf } from './api-error.ts';
import { type ClaimFilter, eachPage } from './claim-filter.ts';
import { checkInput, INPUTS, SEEN } from './inputs.ts';
import { isOfOneRow } from './of-one-row.ts';

/** A planned change and its claims. */
export interface ChangePlan {
  readonly operation: OperationKind;
  readonly force: boolean;
  /** The claims that would be changed, as they were seen. */
  readonly claims: readonly SeenClaim[];
}

const SAMPLE = 5;
const READS_AT_ONCE = 20;

interface Item {
  readonly seen: SeenClaim;
  readonly found: Claim | undefined;
}

interface Found {
  readonly items: readonly Item[];
  readonly notRead?: NonNullable<PlanJson['notRead']>;
  readonly isWhole: boolean;
  readonly rowsRead: number;
  readonly readUnits?: number;
  readonly newerRows?: number;
}

interface Reading {
  readonly store: ClaimAdmin;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onProgress: (claims: number) => void;
  readonly mostPlanned: number;
}

/** Finds the claims that match a filter, up to `mostPlanned`. */
export async function findMatching(filter: ClaimFilter, reading: Reading): Promise<Found> {
  const items = new Map<string, Item>();
  let [rowsRead, newerRows] = [0, 0];
  let readUnits: number | undefined;
  let isWhole = true;
  for await (const page of eachPage(reading.store, filter, reading)) {
    for (const claim of page.claims) {
      if (items.size === reading.mostPlanned && !items.has(claim.key)) isWhole = false;
      else items.set(claim.key, { seen: seenOf(claim), found: withoutResult(claim) });
    }
    rowsRead += page.rowsRead;
    newerRows += page.newer?.length ?? 0;
    if (page.readUnits !== undefined) readUnits = (readUnits ?? 0) + page.readUnits;
    reading.onProgress(items.size);
    if (items.size === reading.mostPlanned && page.next !== undefined) isWhole = false;
    if (!isWhole) break;
  }
  return {
    items: [...items.values()],
    isWhole,
    rowsRead,
    ...(readUnits !== undefined && { readUnits }),
    ...(newerRows > 0 && { newerRows }),
  };
}

/** Reads the claims that a person chose, to compare them with what that person saw. */
export async function findChosen(chosen: readonly SeenClaim[], reading: Reading): Promise<Found> {
  const items: Item[] = [];
  const notRead: { readonly key: string; readonly error: string }[] = [];
  for (let start = 0; start < chosen.length; start += READS_AT_ONCE) {
    reading.signal.throwIfAborted();
    const some = chosen.slice(start, start + READS_AT_ONCE);
    const found = await Promise.all(some.map(({ key }) => readOrError(reading.store, key)));
    some.forEach((seen, index) => {
      const claim = found[index];
      if (claim instanceof Error) notRead.push({ key: seen.key, error: messageOf(claim) });
      else items.push({ seen, found: claim && withoutResult(claim) });
    });
    reading.onProgress(items.length + notRead.length);
  }
  const rowsRead = items.length + notRead.length;
  return { items, isWhole: true, rowsRead, ...(notRead.length > 0 && { notRead }) };
}

/** Returns the error if it is about this key alone, so that the other claims can be changed. */
async function readOrError(store: ClaimAdmin, key: string): Promise<Claim | Error | undefined> {
  try {
    return await store.read(key);
  } catch (error) {
    if (error instanceof Error && isOfOneRow(error)) return error;
    throw error;
  }
}

/** Returns the plan for the claims that were found, and its preview. */
export function planOf(
  { operation, force }: Pick<ChangePlan, 'operation' | 'force'>,
  { items, notRead, isWhole, rowsRead, readUnits, newerRows }: Found,
  now: number,
): { readonly plan: ChangePlan; readonly shown: Omit<PlanJson, 'plan' | 'expiresAt'> } {
  const byState = zeros('in-progress', 'overdue', 'failed', 'parked', 'completed');
  const wouldBeRefused = zeros('absent', 'changed', 'running', 'completed');
  const claims: SeenClaim[] = [];
  const sample: Claim[] = [];
  for (const { seen, found } of items) {
    if (found !== undefined) byState[stateOf(found, now)] += 1;
    const why = refusalOf(found, { operation, force, seen }, now);
    if (why === undefined) claims.push(seen);
    else wouldBeRefused[why] += 1;
    if (why === undefined && found !== undefined && sample.length < SAMPLE) sample.push(found);
  }
  const cost = {
    rowsRead,
    ...(readUnits !== undefined && { readUnits }),
    ...(newerRows !== undefined && { newerRows }),
    writes: claims.length,
  };
  return {
    plan: { operation, force, claims },
    shown: {
      operation,
      force,
      count: items.length + (notRead?.length ?? 0),
      wouldChange: claims.length,
      isWhole,
      byState,
      wouldBeRefused,
      ...(notRead !== undefined && { notRead }),
      sample: sample.map((claim) => claimJson(claim, now)),
      cost,
    },
  };
}

/** Validates the claims that a page sends. Throws an `ApiError` that names the first invalid one. */
export function chosenOf(given: readonly unknown[]): readonly SeenClaim[] {
  given.forEach((claim, index) => checkInput(`claims[${index}]`, seenIn(claim), SEEN));
  const chosen = (given as readonly SeenJson[]).map((claim): SeenClaim => ({
    key: claim.key,
    owner: claim.owner,
    status: claim.status as Claim['status'],
    attempt: Number(claim.attempt),
  }));
  if (new Set(chosen.map(({ key }) => key)).size < chosen.length) {
    throw badRequest('Expected `claims` to have different keys, but a key occurs twice.');
  }
  return chosen;
}

/** Checks a plan that a page sends back. Throws an `ApiError` for anything else. */
export function changePlanIn({ operation, force, claims }: Readonly<Record<string, unknown>>): ChangePlan {
  checkInput('plan', { operation, force, claims }, INPUTS['POST /api/plan']);
  const seen = chosenOf(claims as readonly unknown[]);
  return { operation: operation as OperationKind, force: force === true, claims: seen };
}

/** Takes only the known members: a page may send everything that it shows of a claim. */
function seenIn(claim: unknown): unknown {
  return typeof claim === 'object' && claim !== null && !Array.isArray(claim)
    ? seenOf(claim as unknown as Claim)
    : claim;
}

/** Returns the members of a claim that a change depends on. */
export function seenOf({ key, status, owner, attempt }: Claim): SeenClaim {
  return { key, status, owner, attempt };
}

/** Drops the result, which may be long and is not shown here. */
function withoutResult({ result, ...claim }: Claim): Claim {
  return result === undefined ? claim : { ...claim, result: '' };
}

function zeros<Name extends ClaimState | RefusalReason>(...names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
