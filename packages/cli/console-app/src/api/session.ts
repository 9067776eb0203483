import type { Session } from '../api-types.ts';
import { createStore } from '../state/store.ts';
import { get, type ApiError } from './client.ts';
import { connection } from './live.ts';
import { asApiError } from './use-request.ts';

/** The console's target and permissions; undefined until they are known. */
export const session = createStore<Session | undefined>(undefined);
/** Why the session is not known. */
export const sessionError = createStore<ApiError | undefined>(undefined);

connection.subscribe(() => {
  // By now another server may run there.
  if (connection.get() === 'live') void readSession();
});

export async function readSession(): Promise<void> {
  try {
    session.set(await get<Session>('session'));
    sessionError.set(undefined);
  } catch (error) {
    sessionError.set(asApiError(error));
  }
}
