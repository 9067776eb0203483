import pLimit from 'p-limit';
import { hasCode } from '../claims/errors.ts';
import { decodedText, DecodeError, type Decoder, type Encoded, encodedPayload } from '../sources/decoder.ts';
import { readEvent } from '../sources/read-event.ts';
import type { BatchRecord } from '../sources/record.ts';
import { AS_DELIVERED, type ReadRecord, type SourceBatch } from '../sources/source-batch.ts';
import type { UnwrapStep } from '../sources/unwrap-steps.ts';
import { isPermanent } from './errors.ts';

export interface DecodeSettings {
  readonly decode: readonly Decoder[];
  readonly unwrap: readonly UnwrapStep[];
  readonly concurrency: number;
}

/** A handler of batches runs any number of records at once; sockets and threads are fewer. */
const MOST_AT_ONCE = 50;

type Decoded = { readonly text: string | undefined } | Extract<ReadRecord, { error: Error }>;

/**
 * Reads an event whose payloads have to be decoded: at most `concurrency` of them at once and never more than 50,
 * before any key is made, because a key may be in the payload. What is not decoded when `stop` is aborted fails, and the others go on.
 * Never rejects for a record's sake.
 */
export async function readDecoded(
  event: unknown,
  { decode, unwrap, concurrency }: DecodeSettings,
  stop: AbortSignal,
): Promise<SourceBatch> {
  const asDelivered = readEvent(event, AS_DELIVERED);
  const limit = pLimit(Math.min(concurrency, MOST_AT_ONCE));
  const decoded: (Decoded | undefined)[] = asDelivered.entries.map(() => undefined);
  const all = asDelivered.entries.map(({ read }, index) =>
    limit(async () => {
      if (!('record' in read) || stop.aborted) return;
      decoded[index] = await decodeRecord(read.record, decode, stop);
    }),
  );
  await Promise.race([Promise.all(all), aborted(stop)]);

  const inTime = [...decoded]; // a decoder that goes on must not change what has been read
  const batch = readEvent(event, { unwrap, decoded: (index) => textOf(inTime[index]) });
  const entries = batch.entries.map((entry, index) => {
    const given = asDelivered.entries[index]?.read;
    if (given === undefined || !('record' in given)) return entry;
    const ended = inTime[index] ?? timeIsUp();
    return 'error' in ended ? { ...entry, read: { ...ended, delivered: given.record } } : entry;
  });
  return { ...batch, entries };
}

async function decodeRecord(
  record: BatchRecord,
  decode: readonly Decoder[],
  signal: AbortSignal,
): Promise<Decoded> {
  let data: Encoded | undefined = encodedPayload(record);
  if (data === undefined) return { text: undefined };
  try {
    for (const decoder of decode) data = await decoder(data, record, { signal });
    return { text: decodedText(data) };
  } catch (thrown) {
    return failure(thrown);
  }
}

function failure(thrown: unknown): Decoded {
  if (hasCode(thrown, 'BATCHLATCH_DECODE')) {
    const error = thrown as DecodeError;
    return { error, isRetryable: error.isRetryable };
  }
  const isRetryable = !isPermanent(thrown);
  return { error: new DecodeError('A decoder failed', { cause: thrown, isRetryable }), isRetryable };
}

function timeIsUp(): Decoded {
  const isRetryable = true;
  return {
    error: new DecodeError("The function's time was nearly over before the payload was decoded", {
      isRetryable,
    }),
    isRetryable,
  };
}

function textOf(decoded: Decoded | undefined): string | undefined {
  return decoded !== undefined && 'text' in decoded ? decoded.text : undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
