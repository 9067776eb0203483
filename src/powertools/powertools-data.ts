import { Buffer } from 'node:buffer';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

/** DynamoDB takes documents of 32 levels, the attribute's own among them. */
const DEEPEST = 30;
/** DynamoDB's smallest number above zero is 1E-130; integers beyond 2^53 come back to Powertools as a BigInt. */
const SMALLEST = 1e-130;
/** How JSON.stringify writes a half surrogate pair, which DynamoDB does not take. */
const HALF_PAIR = /\\u[dD][89a-fA-F]/;

/**
 * JSON text as the document value that Powertools stores, and replays as what the handler returned. Undefined for
 * what DynamoDB cannot hold or would give back as something else: too deep, too large a number, `__proto__`.
 */
export function toDocument(json: string): AttributeValue | undefined {
  if (HALF_PAIR.test(json)) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    if (!isWithinLimits(value)) return undefined;
    const document = convertToAttr(value);
    return JSON.stringify(convertToNative(document)) === JSON.stringify(value) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** A document value as JSON text. Sets become arrays and binary values base64, as JSON knows neither. */
export function toJsonText(document: AttributeValue): string {
  const value: unknown = convertToNative(document, { wrapNumbers: Number });
  return JSON.stringify(value, (_name, member: unknown) => {
    if (member instanceof Set) return [...member];
    return member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member;
  });
}

function isWithinLimits(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return false;
    const next: unknown[] = [];
    for (const node of level) {
      if (typeof node === 'object' && node !== null) {
        for (const child of Object.values(node)) next.push(child);
      } else if (typeof node === 'number' && !isHeldExactly(node)) return false;
    }
    level = next;
  }
  return true;
}

function isHeldExactly(number: number): boolean {
  const size = Math.abs(number);
  return size === 0 || (size >= SMALLEST && size <= Number.MAX_SAFE_INTEGER);
}
