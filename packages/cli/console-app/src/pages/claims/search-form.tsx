import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ClaimFilter, hrefOf, SEARCH_BY } from '../../filters/claim-filter.ts';
import { goTo } from '../../state/address.ts';
import { searchAsked } from '../../state/search-asked.ts';
import { useStore } from '../../state/store.ts';

/** Searches for keys, records and hashes. What is searched for is in the address. */
export function SearchForm({ filter }: { readonly filter: ClaimFilter }): JSX.Element {
  const [by, setBy] = useState(filter.by);
  const [q, setQ] = useState(filter.q);
  const field = useFocusWhenAsked();
  const submit = (event: Event): void => {
    event.preventDefault();
    goTo(hrefOf({ ...filter, by, q: q.trim() }));
  };
  const clear = (): void => goTo(hrefOf({ ...filter, q: '' }));
  return (
    <form class="search" role="search" onSubmit={submit}>
      <label for="search-by" class="visually-hidden">
        Search by
      </label>
      <select
        id="search-by"
        value={by}
        onChange={({ currentTarget }) => setBy(currentTarget.value as ClaimFilter['by'])}
      >
        {Object.entries(SEARCH_BY).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <label for="search-q" class="visually-hidden">
        Search claims
      </label>
      <input
        id="search-q"
        ref={field}
        type="search"
        class="mono"
        placeholder="orders#v1:"
        autocomplete="off"
        spellcheck={false}
        value={q}
        onInput={({ currentTarget }) => setQ(currentTarget.value)}
      />
      <button type="submit" class="button">
        Search
      </button>
      {filter.q !== '' && (
        <button type="button" class="button button-plain" onClick={clear}>
          Clear
        </button>
      )}
    </form>
  );
}

function useFocusWhenAsked(): { current: HTMLInputElement | null } {
  const field = useRef<HTMLInputElement>(null);
  const isAsked = useStore(searchAsked);
  useEffect(() => {
    if (!isAsked) return;
    searchAsked.set(false);
    field.current?.select();
    field.current?.focus();
  }, [isAsked]);
  return field;
}
