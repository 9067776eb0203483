import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ClaimJson } from '../api-types.ts';
import { session } from '../api/session.ts';
import { claimHref, filterOf, hrefOf } from '../filters/claim-filter.ts';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { keepFocus } from '../parts/keep-focus.ts';
import { goTo, useAddress } from '../state/address.ts';
import { useStore } from '../state/store.ts';
import { BulkBar } from './claims/bulk-bar.tsx';
import { ClaimsTable } from './claims/claims-table.tsx';
import { ExportButtons } from './claims/export-buttons.tsx';
import { NoClaims } from './claims/no-claims.tsx';
import { Narrowed, PastTabs } from './claims/narrowed.tsx';
import { ReadOn } from './claims/read-on.tsx';
import { SavedFilters } from './claims/saved-filters-menu.tsx';
import { SearchedFor } from './claims/searched-for.tsx';
import { ParkedTabs, ReleasedTabs, StateTabs } from './claims/state-tabs.tsx';
import { useClaims } from './claims/use-claims.ts';
import { useFollowing } from './claims/use-following.ts';

const NONE: ReadonlyMap<string, ClaimJson> = new Map();

/** Claims by state and search. The filter is in the address. */
export function ClaimsPage(): JSX.Element {
  const { search } = useAddress();
  const filter = filterOf(search);
  const read = useClaims(filter);
  const allowChanges = useStore(session)?.allowChanges ?? false;
  const [selected, setSelected] = useState(NONE);
  useFollowing(read, selected.size > 0);
  const of = hrefOf(filter);
  useEffect(() => setSelected(NONE), [of]);
  const toggle = useCallback((claim: ClaimJson): void => {
    setSelected((before) => {
      const after = new Map(before);
      if (!after.delete(claim.key)) after.set(claim.key, claim);
      return after;
    });
  }, []);
  const selectAll = (all: boolean): void =>
    setSelected(all ? new Map(read.claims.map((claim) => [claim.key, claim])) : NONE);
  const again = useRef(read.again);
  again.current = read.again;
  const done = useCallback((): void => {
    setSelected(NONE);
    again.current();
  }, []);
  useEffect(keepFocus, [read.claims]);
  useEffect(() => {
    const [only, ...others] = read.claims;
    if (read.isExact === true && only !== undefined && others.length === 0) {
      goTo(claimHref(only.key), { replace: true });
    }
  }, [read.isExact, read.claims]);
  const isEmpty = read.claims.length === 0;
  return (
    <>
      <div class="page-head">
        <h1>Claims</h1>
        <ExportButtons filter={filter} />
      </div>
      <StateTabs filter={filter} />
      <ParkedTabs filter={filter} />
      <ReleasedTabs filter={filter} />
      <PastTabs filter={filter} />
      <Narrowed filter={filter} />
      <div class="toolbar">
        <SavedFilters filter={filter} />
        <SearchedFor filter={filter} />
      </div>
      <BulkBar
        filter={filter}
        selected={[...selected.values()]}
        shown={read.claims.length}
        hasMore={read.next !== undefined}
        allowChanges={allowChanges}
        onClear={() => setSelected(NONE)}
        onDone={done}
      />
      {read.error !== undefined && (
        <ErrorNotice error={read.error} again={isEmpty ? read.again : () => read.more()} />
      )}
      {isEmpty && read.isLoading && <Skeleton lines={8} />}
      {isEmpty && !read.isLoading && read.error === undefined && (
        <NoClaims filter={filter} isWhole={read.next === undefined} />
      )}
      {!isEmpty && (
        <ClaimsTable
          claims={read.claims}
          selected={selected}
          allowChanges={allowChanges}
          onToggle={toggle}
          onSelectAll={selectAll}
          onDone={done}
        />
      )}
      {(read.rowsRead > 0 || !read.isLoading) && <ReadOn read={read} more={read.more} again={read.again} />}
    </>
  );
}
