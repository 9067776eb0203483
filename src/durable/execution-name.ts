import { hash } from 'node:crypto';

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
