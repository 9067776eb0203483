import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { filterOf, hrefOf } from '../filters/claim-filter.ts';
import { goTo, useAddress } from '../state/address.ts';
import { searchAsked } from '../state/search-asked.ts';
import { useStore } from '../state/store.ts';

/** Finds a claim by its key or by anything else that a person may have of it, from every page. */
export function SearchBox(): JSX.Element {
  const { path, search } = useAddress();
  const asked = path === '/claims' ? filterOf(search).q : '';
  const [q, setQ] = useState(asked);
  useEffect(() => setQ(asked), [asked]);
  const field = useFocusWhenAsked();
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = q.trim();
    if (text !== '' || asked !== '') goTo(hrefOf({ by: 'any', q: text }));
  };
  return (
    <form class="search-box" role="search" onSubmit={submit}>
      <label for="search-q" class="visually-hidden">
        Search claims
      </label>
      <input
        id="search-q"
        ref={field}
        type="search"
        class="mono"
        placeholder="Find a key or id ( / )"
        title="A key, or the id of an order, a message or a request"
        enterkeyhint="search"
        autocomplete="off"
        spellcheck={false}
        maxLength={2_048}
        value={q}
        onInput={({ currentTarget }) => setQ(currentTarget.value)}
      />
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
