import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type ClaimFilter, filterText, hrefOf } from '../../filters/claim-filter.ts';
import { type SavedFilter, savedFiltersOf, withFilter, withoutFilter } from '../../filters/saved-filters.ts';
import { Link } from '../../parts/link.tsx';
import { remember, remembered } from '../../state/stored.ts';
import { shown } from '../../text/shown.ts';

const NAME = 'batchlatch-filters';

/** Filters with names, kept in this browser. */
export function SavedFilters({ filter }: { readonly filter: ClaimFilter }): JSX.Element {
  const [filters, setFilters] = useState(() => savedFiltersOf(remembered(NAME)));
  const [name, setName] = useState('');
  const keep = (next: readonly SavedFilter[]): void => {
    setFilters(next);
    remember(NAME, next.length === 0 ? undefined : JSON.stringify(next));
  };
  const save = (event: Event): void => {
    event.preventDefault();
    const given = name.trim() || filterText(filter);
    keep(withFilter(filters, { name: given, search: hrefOf(filter).slice('/claims'.length) }));
    setName('');
  };
  return (
    <details class="menu">
      <summary class="button">Saved filters{filters.length > 0 && ` (${filters.length})`}</summary>
      <div class="menu-box">
        {filters.length === 0 && <p class="muted">No filter is saved in this browser.</p>}
        <ul class="plain-list">
          {filters.map((saved) => (
            <li key={saved.name} class="menu-row">
              <Link href={`/claims${saved.search}`}>{shown(saved.name)}</Link>
              <button
                type="button"
                class="button button-plain button-small"
                aria-label={`Delete the filter ${shown(saved.name)}`}
                onClick={() => keep(withoutFilter(filters, saved.name))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
        <form class="menu-row" onSubmit={save}>
          <label for="filter-name" class="visually-hidden">
            Name of this filter
          </label>
          <input
            id="filter-name"
            type="text"
            maxLength={60}
            autocomplete="off"
            placeholder={shown(filterText(filter)).slice(0, 60)}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          <button type="submit" class="button">
            Save this filter
          </button>
        </form>
      </div>
    </details>
  );
}
