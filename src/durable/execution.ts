import { hash } from 'node:crypto';
import { PermanentError } from '../attempts/errors.ts';
import { assertHashable, canonicalText } from '../keys/canonical-json.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * The record's body as canonical JSON: two messages of one key that differ in white space or in the order of members
 * are one payload. Throws a `PermanentError` for a body in which a number has more digits than JavaScript reads.
 */
export function bodyText(record: BatchRecord): string {
  return exactly(() => {
    assertHashable(exactBody(record));
    return canonicalText(record.body);
  });
}

/** What `payload` gave as canonical JSON. Throws a `PermanentError` for what JSON does not show. */
export function payloadText(value: unknown): string {
  return exactly(() => canonicalText(value));
}

function exactly(text: () => string): string {
  try {
    return text();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PermanentError(`The durable execution would not get what was sent. ${why}`, { cause });
  }
}

/** What Lambda takes as `DurableExecutionName`. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** 64 less a SHA-256 in base64url and a hyphen. */
const LONGEST_PREFIX = 20;

/** Whether Lambda takes it as the name of an execution. */
export function isExecutionName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

/**
 * The name of the execution of a key: the namespace, as far as it fits, and SHA-256 over the function and the key. What
 * stands behind the namespace may be personal, and names are shown in consoles and logs. The function is part of it
 * because names are unique within an account and a region; its version is not, so that a deployment between two
 * deliveries changes no name.
 */
export function executionNameOf(idempotencyKey: string, functionName: string): string {
  const namespace = idempotencyKey.split('#', 1)[0] ?? '';
  const prefix = namespace.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, LONGEST_PREFIX);
  const digest = hash('sha256', JSON.stringify([functionName, idempotencyKey]), 'base64url');
  return prefix === '' ? digest : `${prefix}-${digest}`;
}
