import { KeyError } from '../keys/errors.ts';
import { keyString } from '../keys/key-string.ts';
import { attempted } from './attempted.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest } from './http-message.ts';
import { type KeyHeader, readKeyHeader } from './idempotency-key-header.ts';
import type { HttpSettings } from './options.ts';

/** A record, a call and a request with the same namespace and key are different work. */
const VERSION = 'http-v1';

/** What the request says in its key header. */
export function keyHeaderOf(
  request: HttpRequest,
  { header, keyRules }: HttpSettings,
  onError: (error: unknown) => void,
): KeyHeader {
  try {
    return readKeyHeader(request.header(header), keyRules);
  } catch (error) {
    onError(error); // of a `keyFormat` that throws
    return { kind: 'malformed', reason: 'its format could not be checked' };
  }
}

/** Undefined for a request without a caller, which is the client's error; a `scope` that throws may not be. */
export async function ownerOf<Native>(
  { scope }: Exchange<Native>,
  onError: (error: unknown) => void,
): Promise<string | undefined> {
  const owner = await attempted(scope);
  if ('thrown' in owner) {
    onError(new KeyError('The `scope` function failed for this request', { cause: owner.thrown }));
    return undefined;
  }
  return typeof owner.value === 'string' && owner.value !== '' ? owner.value : undefined;
}

/** Scope and key as one JSON text, so that they cannot run into each other. Undefined where no store could hold it. */
export function keyOf(
  owner: string,
  key: string,
  { namespace }: HttpSettings,
  onError: (error: unknown) => void,
): string | undefined {
  try {
    return keyString({
      of: 'request',
      prefix: { namespace: () => namespace, version: VERSION },
      key: () => JSON.stringify([owner, key]),
    });
  } catch (error) {
    onError(error);
    return undefined;
  }
}
