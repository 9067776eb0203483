import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';
import { withoutInexact } from '../sources/exact-numbers.ts';

/** DynamoDB allows 32 levels of nesting, including the attribute's own. */
const DEEPEST = 30;
/** DynamoDB's smallest positive number is 1E-130. Powertools reads integers beyond 2^53 as BigInt. */
const SMALLEST = 1e-130;
/** A lone surrogate as `JSON.stringify` writes it; DynamoDB rejects it. */
const HALF_PAIR = /\\u[dD][89a-fA-F]/;

/**
 * Converts JSON text to the document value that Powertools stores and replays. Returns undefined for values
 * that DynamoDB cannot store unchanged: too deep, too large a number, `__proto__`.
 */
export function toDocument(json: string): AttributeValue | undefined {
  if (HALF_PAIR.test(json) || isRounded(json)) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    if (!isWithinLimits(value)) return undefined;
    const document = convertToAttr(value);
    return JSON.stringify(convertToNative(document)) === JSON.stringify(value) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a parsed result would have other numbers: a `serializer` may write more digits. */
export function isRounded(json: string): boolean {
  return withoutInexact(json) !== json;
}

/** Converts a document value to JSON text. Sets become arrays, and binary values base64. */
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
