import type { Session } from '../api-types.ts';
import { createStore } from '../state/store.ts';
import { get, type ApiError } from './client.ts';
import { connection } from './live.ts';
import { asApiError } from './use-request.ts';

/** What the console is about and what it allows; undefined until it is known. */
export const session = createStore<Session | undefined>(undefined);
/** Why it is not known. */
export const sessionError = createStore<ApiError | undefined>(undefined);

connection.subscribe(() => {
  // Another server may run there by now.
  if (connection.get() === 'live') void readSession();
});

/** Reads it. */
export async function readSession(): Promise<void> {
  try {
    session.set(await get<Session>('session'));
    sessionError.set(undefined);
  } catch (error) {
    sessionError.set(asApiError(error));
  }
}
