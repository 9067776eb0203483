import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ClaimJson, ClaimsJson } from '../../api-types.ts';
import { type ApiError, get } from '../../api/client.ts';
import { useRetry } from '../../api/use-retry.ts';
import { actionsTold } from '../../api/live.ts';
import { asApiError } from '../../api/use-request.ts';
import { type ClaimFilter, hrefOf, requestOf } from '../../filters/claim-filter.ts';

/** The default size of a page. */
export const PAGE = 100;
/** The largest page. */
const MOST = 1_000;

/** The claims of a filter that have been read. */
export interface ReadClaims {
  readonly claims: readonly ClaimJson[];
  /** The number of rows read for them. */
  readonly rowsRead: number;
  readonly readUnits?: number;
  readonly readBy?: ClaimsJson['readBy'];
  /** Whether they were found by their whole keys. */
  readonly isExact?: boolean;
  /** The missing index, if the table was scanned. */
  readonly missingIndex?: string;
  /** The number of rows that need a newer version of batchlatch. */
  readonly newerRows?: number;
  /** The number of rows that are not claims. */
  readonly unreadableRows?: number;
  /** The start of the next page; absent at the end. */
  readonly next?: string;
  readonly isLoading: boolean;
  /** The number of actions reported when the read began. */
  readonly actionsBefore: number;
  readonly error?: ApiError;
}

const NOTHING: ReadClaims = { claims: [], rowsRead: 0, isLoading: true, actionsBefore: 0 };

/** Reads the first page, and more on request. */
export function useClaims(filter: ClaimFilter): ReadClaims & {
  /** Reads the next page, by default of 100 claims. */
  readonly more: (limit?: number) => void;
  /** Reads all shown pages again. */
  readonly again: () => void;
  /**
   * Reads the first page in the background and shows it when it is complete. A failure is retried next time.
   */
  readonly follow: () => void;
} {
  const of = hrefOf(filter);
  const [state, setState] = useState({ of, read: NOTHING });
  const abort = useRef(new AbortController());
  const read = useCallback(
    async (before: ReadClaims, fewest: number, limit = PAGE): Promise<void> => {
      abort.current.abort();
      const current = new AbortController();
      abort.current = current;
      const show = (shown: ReadClaims): void => {
        if (!current.signal.aborted) setState({ of, read: shown });
      };
      const { error: _error, ...kept } = before;
      let after: ReadClaims = { ...kept, isLoading: true };
      show(after);
      try {
        do {
          const page = await get<ClaimsJson>(
            'claims',
            { ...requestOf(filter), limit, cursor: after.next },
            current.signal,
          );
          after = withPage(after, page);
        } while (after.next !== undefined && after.claims.length < fewest);
        show({ ...after, isLoading: false });
      } catch (error) {
        if (!current.signal.aborted) show({ ...after, isLoading: false, error: asApiError(error) });
      }
    },
    [of],
  );
  const following = useRef<AbortSignal | undefined>(undefined);
  const readFirst = async (): Promise<void> => {
    const { signal } = abort.current;
    if (following.current === signal) return; // a slow store would be asked more and more at once
    following.current = signal;
    const before = startNow();
    try {
      const page = await get<ClaimsJson>('claims', { ...requestOf(filter), limit: PAGE }, signal);
      if (!signal.aborted) setState({ of, read: { ...withPage(before, page), isLoading: false } });
    } catch {
      // The page shows a lost connection itself. Errors of the store are shown on request only.
    }
    if (following.current === signal) following.current = undefined;
  };
  const follow = useCallback((): void => void readFirst(), [of]);
  useEffect(() => {
    void read(startNow(), 0);
    return () => abort.current.abort();
  }, [read]);
  const shown = state.of === of ? state.read : NOTHING;
  useRetry(shown.claims.length <= PAGE ? shown.error : undefined, follow);
  return {
    ...shown,
    more: (limit) => void read(shown, 0, limit),
    follow,
    again: () =>
      void read(startNow(), shown.claims.length, Math.min(Math.max(PAGE, shown.claims.length), MOST)),
  };
}

function startNow(): ReadClaims {
  return { ...NOTHING, actionsBefore: actionsTold.get() };
}

/** Adds a page. If a claim changed between two pages it may come twice, and the later one counts. */
function withPage(before: ReadClaims, page: ClaimsJson): ReadClaims {
  const known = new Set(page.claims.map(({ key }) => key));
  const { next: _next, ...kept } = before;
  const readUnits = addUnits(before.readUnits, page.readUnits);
  return {
    ...kept,
    claims: [...before.claims.filter(({ key }) => !known.has(key)), ...page.claims],
    rowsRead: before.rowsRead + page.rowsRead,
    readBy: page.readBy,
    ...(page.isExact === true && { isExact: true }),
    ...(page.missingIndex !== undefined && { missingIndex: page.missingIndex }),
    newerRows: (before.newerRows ?? 0) + (page.newer?.length ?? 0),
    unreadableRows: (before.unreadableRows ?? 0) + (page.unreadable ?? 0),
    ...(readUnits !== undefined && { readUnits }),
    ...(page.next !== undefined && { next: page.next }),
  };
}

function addUnits(one: number | undefined, other: number | undefined): number | undefined {
  return other === undefined ? one : Math.round(((one ?? 0) + other) * 10) / 10;
}
