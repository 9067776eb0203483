import { BatchlatchError } from '../base/errors.ts';
import type { StopSignal } from '../base/stop.ts';
import type { BatchRecord, Envelope } from './record.ts';
import type { SourceEntry } from './source.ts';

/**
 * A step of `decode`. `gzip()`, `base64()`, `s3Pointer()` of `batchlatch/s3` and `decoder()` decode the
 * payload; `snsEnvelope()`, `eventBridgeEnvelope()` and `s3Envelope()` unwrap it. List the steps from the
 * outside in.
 */
export type DecodeStep = DecoderStep | EnvelopeStep;

/** A step that decodes a payload to text or bytes. */
export interface DecoderStep extends Decoder {
  /** Discriminates the union. */
  readonly kind: 'decoder';
  /**
   * Runs the whole `decode` list that contains this step.
   *
   * @internal
   */
  readonly readPayloads: ReadPayloads;
}

/** A step that takes a payload out of its envelope. */
export interface EnvelopeStep {
  /** Discriminates the union. */
  readonly kind: 'envelope';
  /**
   * Opens the envelope. Throws a `MalformedRecordError` if the value is not this envelope.
   *
   * @param value The parsed payload.
   * @internal
   */
  open(value: unknown): OpenedEnvelope;
  /**
   * Runs the whole `decode` list that contains this step.
   *
   * @internal
   */
  readonly readPayloads: ReadPayloads;
}

export type OpenedEnvelope =
  | { readonly envelope: Envelope; readonly inner: Payload }
  /** Why the envelope carries no work. */
  | { readonly ignored: string };

type Payload = { readonly text: string } | { readonly value: unknown };

/**
 * Runs all steps on the payloads of entries. Each step carries this function, so that decoders are bundled
 * only if imported. It never throws: a record that cannot be decoded becomes an entry with an error.
 */
export type ReadPayloads = (
  entries: readonly SourceEntry[],
  steps: readonly DecodeStep[],
  options: ReadOptions,
) => readonly SourceEntry[] | Promise<readonly SourceEntry[]>;

export interface ReadOptions {
  readonly concurrency: number;
  /** Aborted when time is nearly over: records that are not decoded by then fail, the others go on. */
  readonly stop: StopSignal;
  /** Whether a decoder's error would be thrown again at the next delivery. */
  isPermanent(error: unknown): boolean;
}

/** Runs the steps of `decode` on all payloads, synchronously if none of them is a decoder. */
export function readPayloads(
  entries: readonly SourceEntry[],
  steps: readonly DecodeStep[],
  options: ReadOptions,
): readonly SourceEntry[] | Promise<readonly SourceEntry[]> {
  const step = steps.find(({ kind }) => kind === 'decoder') ?? steps[0];
  return step === undefined ? entries : step.readPayloads(entries, steps, options);
}

export function decodeSteps(decode: DecodeStep | readonly DecodeStep[] | undefined): readonly DecodeStep[] {
  if (decode === undefined) return [];
  return 'kind' in decode ? [decode] : decode;
}

/** Input and output of decoders: text or bytes. */
export type Encoded = string | Uint8Array;

/**
 * Decodes one payload; `decoder()` turns this function into a step. The first step gets text (SQS, SNS) or
 * bytes (Kinesis, Kafka), each later step the output of the one before it. Bytes from the last step are read
 * as UTF-8.
 *
 * A record whose decoder throws is delivered again, unless the error is a `PermanentError` or a `DecodeError`
 * with `isRetryable: false`.
 *
 * @param data The output of the step before.
 * @param record The record as it was delivered.
 * @param options The signal of the invocation, and the envelope around the data.
 */
export type Decoder = (
  data: Encoded,
  record: BatchRecord,
  options: DecoderOptions,
) => Encoded | Promise<Encoded>;

/** Options of a call of a `Decoder`. */
export interface DecoderOptions {
  /** Aborted when the invocation's time is nearly over. */
  readonly signal: AbortSignal;
  /** The envelopes before the step, as in `record.envelope`. Default: there are none. */
  readonly envelope?: Envelope;
}

/**
 * A payload could not be decoded, or is too large or deep to parse (docs/sources/decode.md). The record is
 * handed back as `failed` if `isRetryable`, otherwise as `invalid`. Code: `BATCHLATCH_DECODE`.
 *
 * @remarks Check `decode` and the sender.
 */
export class DecodeError extends BatchlatchError {
  override name = 'DecodeError';
  /** Whether a later delivery of the same payload may be decoded. */
  readonly isRetryable: boolean;

  /**
   * Creates the error; your own decoders may throw it too.
   *
   * @param message Why the payload could not be decoded. Do not quote the payload.
   * @param options Whether a later delivery may succeed, and the `cause`.
   */
  constructor(message: string, options: { cause?: unknown; isRetryable: boolean }) {
    super('BATCHLATCH_DECODE', message, { cause: options.cause });
    this.isRetryable = options.isRetryable;
  }
}

/** Returns the output of the last step as text. Throws a `DecodeError` for invalid UTF-8 and other types. */
export function decodedText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!(data instanceof Uint8Array)) {
    throw new DecodeError(
      `A decoder returned ${data === null ? 'null' : `a ${typeof data}`}, not a string or a Uint8Array`,
      { isRetryable: true },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch (cause) {
    throw new DecodeError(
      'The decoded payload is not UTF-8, as text must be: correct `decode`, or the sender',
      { cause, isRetryable: false },
    );
  }
}
