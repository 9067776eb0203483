import type { KeyOptions } from '../arguments/key-options.ts';
import { areFromBodies, keyOf } from '../arguments/key-options.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { openLines } from '../lines/open-lines.ts';

/** Returns the key that a processor derives from the body in a file; nothing if no file is named. */
export async function keysOfPayload(
  context: Context,
  { payload, ...options }: KeyOptions & { readonly payload?: string },
): Promise<readonly string[]> {
  if (payload === undefined) return [];
  if (!areFromBodies(options)) {
    throw new UsageError('Say how keys come from bodies: --namespace NAME, and --key-field or --key-hash.');
  }
  const { name, chunks } = await openLines(payload, context);
  const body = await textOf(chunks);
  const key = await keyOf(options)?.({
    messageId: 'none',
    recordId: 'none',
    body,
    receiveCount: 0,
    attributes: {},
    sentBy: 'unknown',
    claims: [],
  });
  if (key === undefined) {
    const why = isJson(body) ? 'lacks the fields of --key-field or --key-hash' : 'is not JSON';
    throw new CliError(`${name} has no key: its body ${why}.`);
  }
  return [key];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function textOf(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString('utf8').trimEnd();
}
