import { builtIn } from './built-in.ts';

const { hash } = builtIn('node:crypto');

/**
 * Returns the form of an idempotency key in logs and errors: 16 hex digits of its SHA-256, enough to find it
 * again. There is no salt, so anyone who can guess a key can check the guess.
 *
 * @param key The idempotency key.
 */
export function keyHash(key: string): string {
  return hash('sha256', key).slice(0, 16);
}
