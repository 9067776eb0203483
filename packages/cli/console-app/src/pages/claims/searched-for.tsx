import type { JSX } from 'preact';
import { type ClaimFilter, hrefOf, SEARCH_BY } from '../../filters/claim-filter.ts';
import { goTo } from '../../state/address.ts';
import { shown } from '../../text/shown.ts';

/** How the list is searched for what the search box of the header was given; nothing without a search. */
export function SearchedFor({ filter }: { readonly filter: ClaimFilter }): JSX.Element | null {
  if (filter.q === '') return null;
  return (
    <div class="search" role="group" aria-label="Search of this list">
      <label for="search-by" class="visually-hidden">
        Search by
      </label>
      <select
        id="search-by"
        value={filter.by}
        onChange={({ currentTarget }) =>
          goTo(hrefOf({ ...filter, by: currentTarget.value as ClaimFilter['by'] }))
        }
      >
        {Object.entries(SEARCH_BY).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <span class="mono search-text">{shown(filter.q)}</span>
      <button
        type="button"
        class="button button-plain"
        onClick={() => goTo(hrefOf({ ...filter, by: 'prefix', q: '' }))}
      >
        Clear
      </button>
    </div>
  );
}
