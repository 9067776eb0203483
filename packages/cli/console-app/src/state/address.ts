import { createStore, useStore } from './store.ts';

/** Where the page is: the path, and what follows the question mark. */
export interface Address {
  readonly path: string;
  readonly search: string;
}

const address = createStore<Address>(current());

window.addEventListener('popstate', () => address.set(current()));

function current(): Address {
  return { path: window.location.pathname, search: window.location.search };
}

/** The address; the component is drawn again when it changes. */
export function useAddress(): Address {
  return useStore(address);
}

/**
 * Goes to a page of the console. With `replace`, the browser's back button passes over where it was. Like a
 * plain link to the page that is shown, it adds nothing to the history.
 */
export function goTo(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const pathBefore = address.get().path;
  const isHere = new URL(href, window.location.href).href === window.location.href;
  if (replace || isHere) window.history.replaceState(null, '', href);
  else window.history.pushState(null, '', href);
  address.set(current());
  if (address.get().path !== pathBefore) window.scrollTo(0, 0);
}
