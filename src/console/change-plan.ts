import type { Claim } from '../claims/claim.ts';
import {
  type ClaimState,
  type OperableStore,
  type OperationKind,
  type RefusalReason,
  stateOf,
} from '../claims/operable-store.ts';
import { decideOperation } from '../claims/operations.ts';
import type { SeenClaim } from '../operations/change-claims.ts';
import { claimJson } from '../operations/claim-json.ts';
import type { PlanJson } from './api.ts';
import { badRequest } from './api-error.ts';
import { type ClaimFilter, eachPage } from './claim-filter.ts';

/** What a plan would do, and to which claims. */
export interface ChangePlan {
  readonly operation: OperationKind;
  readonly force: boolean;
  /** Those that would be changed, as they were seen. */
  readonly claims: readonly SeenClaim[];
}

/** More are not changed at once. */
const MOST_PLANNED = 10_000;
const SAMPLE = 5;
const READS_AT_ONCE = 20;

interface Item {
  readonly seen: SeenClaim;
  readonly found: Claim | undefined;
}

interface Found {
  readonly items: readonly Item[];
  readonly isWhole: boolean;
  readonly rowsRead: number;
  readonly readUnits?: number;
}

interface Reading {
  readonly store: OperableStore;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onProgress: (claims: number) => void;
}

/** The claims that match a filter, up to 10,000. */
export async function findMatching(filter: ClaimFilter, reading: Reading): Promise<Found> {
  const items = new Map<string, Item>();
  let rowsRead = 0;
  let readUnits: number | undefined;
  let isWhole = true;
  for await (const page of eachPage(reading.store, filter, reading)) {
    for (const claim of page.claims) {
      if (items.size === MOST_PLANNED && !items.has(claim.key)) isWhole = false;
      else items.set(claim.key, { seen: seenOf(claim), found: withoutResult(claim) });
    }
    rowsRead += page.rowsRead;
    if (page.readUnits !== undefined) readUnits = (readUnits ?? 0) + page.readUnits;
    reading.onProgress(items.size);
    if (items.size === MOST_PLANNED && page.next !== undefined) isWhole = false;
    if (!isWhole) break;
  }
  return { items: [...items.values()], isWhole, rowsRead, ...(readUnits !== undefined && { readUnits }) };
}

/** The claims that a person has chosen, as they are now beside as they were seen. */
export async function findChosen(chosen: readonly SeenClaim[], reading: Reading): Promise<Found> {
  const items: Item[] = [];
  for (let start = 0; start < chosen.length; start += READS_AT_ONCE) {
    reading.signal.throwIfAborted();
    const some = chosen.slice(start, start + READS_AT_ONCE);
    const found = await Promise.all(some.map(({ key }) => reading.store.inspect(key)));
    some.forEach((seen, index) => {
      const claim = found[index];
      items.push({ seen, found: claim && withoutResult(claim) });
    });
    reading.onProgress(items.length);
  }
  return { items, isWhole: true, rowsRead: items.length };
}

/** What a change would do to what was found. */
export function planOf(
  { operation, force }: Pick<ChangePlan, 'operation' | 'force'>,
  { items, isWhole, rowsRead, readUnits }: Found,
  now: number,
): { readonly plan: ChangePlan; readonly shown: Omit<PlanJson, 'plan' | 'expiresAt'> } {
  const byState = zeros('in-progress', 'overdue', 'failed', 'parked', 'completed');
  const wouldBeRefused = zeros('absent', 'changed', 'running', 'completed');
  const claims: SeenClaim[] = [];
  const sample: Claim[] = [];
  for (const { seen, found } of items) {
    if (found !== undefined) byState[stateOf(found, now)] += 1;
    const why = refusalOf(operation, force, { seen, found }, now);
    if (why === undefined) claims.push(seen);
    else wouldBeRefused[why] += 1;
    if (why === undefined && found !== undefined && sample.length < SAMPLE) sample.push(found);
  }
  const cost = { rowsRead, ...(readUnits !== undefined && { readUnits }), writes: claims.length };
  return {
    plan: { operation, force, claims },
    shown: {
      operation,
      force,
      count: items.length,
      wouldChange: claims.length,
      isWhole,
      byState,
      wouldBeRefused,
      sample: sample.map((claim) => claimJson(claim, now)),
      cost,
    },
  };
}

function refusalOf(
  operation: OperationKind,
  force: boolean,
  { seen, found }: Item,
  now: number,
): RefusalReason | undefined {
  const change = {
    operation,
    force,
    key: seen.key,
    seen,
    owner: '',
    operator: '',
    reason: '',
    retentionMs: 0,
  };
  const decision = decideOperation(found, change, now);
  return 'outcome' in decision && decision.outcome.status === 'refused' ? decision.outcome.why : undefined;
}

const STATUSES: readonly string[] = [
  'IN_PROGRESS',
  'COMPLETED',
  'FAILED',
  'PARKED',
] satisfies Claim['status'][];

/** Reads claims as a page has seen them. Throws an `ApiError` for what cannot be one. */
export function chosenOf(given: unknown): readonly SeenClaim[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_PLANNED) {
    throw badRequest(`\`claims\` is a list of 1 to ${MOST_PLANNED} claims.`);
  }
  const chosen = (given as unknown[]).map(seenIn);
  if (new Set(chosen.map(({ key }) => key)).size < chosen.length) {
    throw badRequest('A key stands twice among the claims.');
  }
  return chosen;
}

function seenIn(given: unknown): SeenClaim {
  const { key, status, owner, attempt } = (given ?? {}) as Readonly<Record<string, unknown>>;
  const number = typeof attempt === 'string' && /^\d{1,20}$/.test(attempt) ? Number(attempt) : attempt;
  const isSeen =
    typeof key === 'string' &&
    key !== '' &&
    typeof owner === 'string' &&
    STATUSES.includes(status as string) &&
    Number.isInteger(number);
  if (!isSeen) throw badRequest('A claim is { key, status, owner, attempt }, as it was shown.');
  return { key, owner, status: status as Claim['status'], attempt: number as number };
}

function seenOf({ key, status, owner, attempt }: Claim): SeenClaim {
  return { key, status, owner, attempt };
}

/** It may be long, and nobody is shown it here. */
function withoutResult({ result, ...claim }: Claim): Claim {
  return result === undefined ? claim : { ...claim, result: '' };
}

function zeros<Name extends ClaimState | RefusalReason>(...names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
