import type { SignedInJson } from '../api-types.ts';
import { keepSecret } from './tab-secret.ts';

const SIGN_IN_WITHIN_MS = 10_000;

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
    if (response.ok) keepSecret(((await response.json()) as SignedInJson).secret);
  } catch {
    // The page shows by itself that nobody answers, or that it is not signed in.
  } finally {
    const { pathname, search } = window.location;
    window.history.replaceState(null, '', `${pathname}${search}`);
  }
  return true;
}
