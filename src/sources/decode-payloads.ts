import pLimit from 'p-limit';
import { hasCode } from '../base/errors.ts';
import { platformSignal, whenAborted } from '../base/stop.ts';
import {
  decodedText,
  DecodeError,
  type Decoder,
  type DecoderStep,
  type DecodeStep,
  type Encoded,
  type EnvelopeStep,
  type ReadOptions,
  type ReadPayloads,
} from './decode-step.ts';
import { type EncodedRecord, insideOf, isEncoded, openText } from './envelope-steps.ts';
import { parseJsonOrText, unreadable } from './json-text.ts';
import type { BatchRecord, Envelope } from './record.ts';
import type { ReadRecord } from './source.ts';

/** A batch handler may take any number of records at once, but decoders use sockets and threads. */
const MOST_AT_ONCE = 50;

/**
 * Returns a step of `decode` that calls your own function. The function gets text (SQS, SNS), bytes (Kinesis,
 * Kafka) or the output of the step before it, and returns a string or a `Uint8Array`, or a promise of one.
 *
 * @param decode Decodes one payload; called for each record.
 *
 * @example
 * createBatchProcessor(handler, {
 *   decode: decoder(async (data, record, { signal }) => decrypt(data, record.attributes, signal)),
 * });
 */
export function decoder(decode: Decoder): DecoderStep {
  const step: Decoder = (data, record, options) => decode(data, record, options);
  return Object.assign(step, { kind: 'decoder' as const, readPayloads: decodePayloads });
}

const decodePayloads: ReadPayloads = async (entries, steps, options) => {
  const { concurrency, stop } = options;
  const limit = pLimit(Math.min(concurrency, MOST_AT_ONCE));
  const decoded: (ReadRecord | undefined)[] = entries.map(() => undefined);
  const all = entries.map(({ read }, index) =>
    limit(async () => {
      if (!isEncoded(read) || stop.aborted) return;
      decoded[index] = await decodeRecord(read.record, steps, options);
    }),
  );
  await Promise.race([Promise.all(all), whenAborted(stop)]);
  return entries.map((entry, index) => {
    const { itemIdentifier, lane, read } = entry;
    if (!isEncoded(read)) return entry;
    return { itemIdentifier, lane, read: decoded[index] ?? failure(tooLate(), read.record, options) };
  });
};

/** Runs the steps up to the last decoder; `openText` opens the envelopes after it, repeatedly if needed. */
async function decodeRecord(
  record: EncodedRecord,
  steps: readonly DecodeStep[],
  options: ReadOptions,
): Promise<ReadRecord> {
  const afterLast = steps.findLastIndex(({ kind }) => kind === 'decoder') + 1;
  let data: unknown = record.payload;
  let outer: Envelope | undefined;
  let text: string;
  let isEnvelope = false;
  try {
    for (const step of steps.slice(0, afterLast)) {
      isEnvelope = step.kind === 'envelope';
      if (step.kind === 'decoder') {
        const signal = platformSignal(options.stop);
        data = await step(encoded(data), record, { signal, ...(outer && { envelope: outer }) });
        continue;
      }
      const opened = step.open(isEncodedData(data) ? parseJsonOrText(decodedText(data)) : data);
      if ('ignored' in opened) return opened;
      outer = insideOf(outer, opened.envelope);
      data = 'text' in opened.inner ? opened.inner.text : opened.inner.value;
    }
    text = decodedText(data);
  } catch (thrown) {
    return isEnvelope ? unreadable(thrown, record) : failure(thrown, record, options);
  }
  return openText(record, { text, outer }, steps.slice(afterLast) as EnvelopeStep[]);
}

/** Throws for a parsed value: its text is lost, and `JSON.stringify` would round its numbers. */
function encoded(data: unknown): Encoded {
  if (isEncodedData(data)) return data;
  throw new DecodeError(
    `The content of the envelope is ${data === null ? 'null' : `of the type ${typeof data}`}, ` +
      'but the next step of `decode` takes text or bytes',
    { isRetryable: false },
  );
}

function isEncodedData(data: unknown): data is Encoded {
  return typeof data === 'string' || data instanceof Uint8Array;
}

function failure(thrown: unknown, delivered: BatchRecord, { isPermanent }: ReadOptions): ReadRecord {
  if (hasCode(thrown, 'BATCHLATCH_DECODE')) {
    const error = thrown as DecodeError;
    return { error, isRetryable: error.isRetryable, delivered };
  }
  const isRetryable = !isPermanent(thrown);
  const error = new DecodeError('A decoder of `decode` failed; see the cause', {
    cause: thrown,
    isRetryable,
  });
  return { error, isRetryable, delivered };
}

function tooLate(): DecodeError {
  const message = "The function's time was nearly over before the payload was decoded: reduce the batch size";
  return new DecodeError(message, { isRetryable: true });
}
