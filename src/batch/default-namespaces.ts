import type { ClaimStore } from '../claims/claim-store.ts';
import { ConfigurationError } from '../base/errors.ts';
import { placeOf } from '../claims/pass-on.ts';

/** Which processor of this process uses a default namespace, by the place where its claims are. */
type Users = Map<string, object>;

/** One for the process, also where it has loaded this package twice, once imported and once required. */
const SHARED: unique symbol = Symbol.for('batchlatch.defaultNamespaces');

function usersOf(store: ClaimStore): Users {
  const shared = globalThis as { [SHARED]?: Map<string, Users> };
  const byPlace = (shared[SHARED] ??= new Map());
  const place = placeOf(store);
  const users = byPlace.get(place) ?? new Map<string, object>();
  byPlace.set(place, users);
  return users;
}

/**
 * Takes the default namespace for one processor of this process. Two that share it would share keys: `charge` of
 * order `1` and `refund` of payment `1` would be the same work, and the second acknowledged without being run.
 * Throws a `ConfigurationError` where another has taken it.
 */
export function takeDefaultNamespace(store: ClaimStore, namespace: string, processor: object): void {
  const users = usersOf(store);
  const user = users.get(namespace);
  if (user === undefined) users.set(namespace, processor);
  else if (user !== processor) {
    throw new ConfigurationError(
      `Two processors of this process use the default namespace \`${namespace}\` on one claim store, so equal keys would count as the same work: set \`namespace\` for each of them, or create the processor once and not in every call`,
    );
  }
}
