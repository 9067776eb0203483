import type { SignedInJson } from '../api-types.ts';
import { remember, remembered } from '../state/stored.ts';

/**
 * The secret that lets this page in. Storage belongs to one host and port, which a cookie does not: no
 * other server of this machine gets it. Other tabs have it too, and it is kept when a page is loaded again.
 */
const NAME = 'batchlatch-session';
const SIGN_IN_WITHIN_MS = 10_000;
/** Holds where storage is blocked. */
let held: string | undefined;

/** The header that every request has. */
export function sessionHeader(): Readonly<Record<string, string>> {
  // Another tab may have got a newer one.
  const secret = remembered(NAME) ?? held;
  return secret === undefined ? {} : { 'x-batchlatch-session': secret };
}

/**
 * Exchanges the token of the address for the secret, and takes it out of the address. False where there is
 * no token.
 */
export async function signIn(): Promise<boolean> {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (token === null) return false;
  try {
    const response = await fetch('/api/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
      signal: AbortSignal.timeout(SIGN_IN_WITHIN_MS),
    });
    if (response.ok) {
      held = ((await response.json()) as SignedInJson).secret;
      remember(NAME, held);
    }
  } catch {
    // The page shows by itself that nobody answers, or that it is not signed in.
  } finally {
    const { pathname, search } = window.location;
    window.history.replaceState(null, '', `${pathname}${search}`);
  }
  return true;
}
