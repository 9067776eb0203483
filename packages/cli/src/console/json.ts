import type { IncomingMessage } from 'node:http';
import { ApiError, badRequest } from './api-error.ts';

/** Converts to JSON; integers that JSON readers would round become strings. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, exactly);
}

function exactly(_name: string, value: unknown): unknown {
  return exact(value);
}

/** Returns the value, or the digits of an integer that would be rounded. */
export function exact(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return BigInt(value).toString();
  }
  return value;
}

const LONGEST_BODY = 1_048_576;

/** Reads a JSON object from a request. Throws an `ApiError` for other bodies and for more than 1 MB. */
export async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and dropped: a client that is still sending would find the connection reset.
    if (length <= LONGEST_BODY) chunks.push(chunk);
  }
  if (length > LONGEST_BODY) {
    throw new ApiError(413, 'too-long', 'The request body is larger than 1 MB. Select fewer claims.');
  }
  return jsonObject(Buffer.concat(chunks).toString('utf8'));
}

/** Parses a JSON object. Throws an `ApiError` for any other text. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('The request body is not JSON. Send a JSON object.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw badRequest('The request body is JSON, but not an object. Send an object.');
}
