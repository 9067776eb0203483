import { hash } from 'node:crypto';
import { PermanentError } from '../attempts/errors.ts';
import { assertHashable, canonicalText } from '../keys/canonical-json.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * Returns the record's body as canonical JSON: messages that differ only in white space or member order have
 * the same payload. Throws a `PermanentError` for numbers that JavaScript cannot read exactly.
 */
export function bodyText(record: BatchRecord): string {
  return exactly(() => {
    assertHashable(exactBody(record));
    return canonicalText(record.body);
  });
}

/**
 * Returns the result of `payload` as canonical JSON. Throws a `PermanentError` for values JSON cannot hold.
 */
export function payloadText(value: unknown): string {
  return exactly(() => {
    assertHashable(value); // throws for what JSON would change
    // A hole in an array is null, as in JSON.
    return canonicalText(value === undefined ? value : JSON.parse(JSON.stringify(value)));
  });
}

function exactly(text: () => string): string {
  try {
    return text();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PermanentError(`The durable execution would not get the payload unchanged. ${why}`, { cause });
  }
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Matches the namespace of a key. A whole key has none: all of it may be personal data. */
const NAMESPACE = /^([^#]+)#[a-z]\d+:/;

/** 64 characters, minus a SHA-256 in base64url and a hyphen. */
const LONGEST_PREFIX = 20;

/** Whether Lambda accepts a value as `DurableExecutionName`. */
export function isExecutionName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/**
 * Returns the execution name of a key: its namespace, shortened to fit, and a SHA-256 over function and key.
 * The rest of the key may be personal data, and consoles and logs show names. The hash includes the function
 * because names are unique within an account and region, and not its version, so that a deployment changes no
 * name.
 */
export function executionNameOf(idempotencyKey: string, functionName: string): string {
  const [, namespace = ''] = NAMESPACE.exec(idempotencyKey) ?? [];
  const prefix = namespace.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, LONGEST_PREFIX);
  const digest = hash('sha256', JSON.stringify([functionName, idempotencyKey]), 'base64url');
  return prefix === '' ? digest : `${prefix}-${digest}`;
}
