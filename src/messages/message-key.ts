import { ConfigurationError } from '../base/errors.ts';
import { KeyError } from '../keys/errors.ts';
import { contentHash } from '../keys/payload-hash.ts';
import { findAt, parsePath } from '../keys/payload-path.ts';
import type { Message } from './message.ts';

/** A function of a body as it is sent, the same at the sender and at the consumer. */
export type OfBody = (body: unknown) => string;

/**
 * Returns the function that makes a message's own part of the key; undefined if the message has no `key`. It
 * throws a `KeyError` for a body without one.
 */
export function keyOfBody({ options }: Message): OfBody | undefined {
  const { key } = options;
  if (key === undefined) return undefined;
  if (typeof key === 'function') return key;
  return contentHash('message', { include: key });
}

/**
 * Returns the function that names a message's group; undefined if the message has no `group`. It throws a
 * `KeyError` for a body without one.
 */
export function groupOfBody({ options }: Message): OfBody | undefined {
  const { group } = options as { readonly group?: string | OfBody };
  if (group === undefined || typeof group === 'function') return group;
  const path = parsePath('group', group);
  if (path.includes('*')) {
    throw new ConfigurationError(`Expected \`group\` to name one value, got \`${group}\``);
  }
  return (body) => {
    const value = findAt(body, path);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw new KeyError(`The body has no text or number at \`${group}\`, which \`group\` names`);
  };
}

/**
 * Returns a type and a message's own part of the key as one text. No two types share one: a cancellation must
 * not be the duplicate of its order.
 */
export function typedKey(type: string, key: string): string {
  return `${escapedType(type)}:${key}`;
}

/** Stands in keys in place of `v1` where a type follows. */
export const TYPED = 't1';

/**
 * Returns the type in a stored key, which routes put there; undefined for a key without one. It may be any
 * text.
 *
 * @param key A key, such as `orders#t1:OrderPlaced:o-1042`.
 */
export function typeOfKey(key: string): string | undefined {
  const [, type] = /^[^#]+#t1:([^:]+):/.exec(key) ?? [];
  return type?.replace(/%(?:25|3A)/g, (escape) => (escape === '%25' ? '%' : ':'));
}

/** Returns a type as it is in keys: without a colon. */
export function escapedType(type: string): string {
  return type.replaceAll('%', '%25').replaceAll(':', '%3A');
}
