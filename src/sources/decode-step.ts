import { BatchlatchError } from '../base/errors.ts';
import type { StopSignal } from '../base/stop.ts';
import type { BatchRecord, Envelope } from './record.ts';
import type { SourceEntry } from './source.ts';

/**
 * One step of `decode`, from the outside in: `gzip()`, `base64()`, `s3Pointer()` of `batchlatch/s3`, or `decoder()` of a
 * function of yours change the payload; `snsEnvelope()`, `eventBridgeEnvelope()` and `s3Envelope()` take it out of what
 * another service put around it.
 */
export type DecodeStep = DecoderStep | EnvelopeStep;

/** Makes other text, or bytes, of a payload. */
export interface DecoderStep extends Decoder {
  /** Tells the steps apart. */
  readonly kind: 'decoder';
  /**
   * Reads the payloads of a list that this step is in.
   *
   * @internal
   */
  readonly readPayloads: ReadPayloads;
}

/** Takes a payload out of its envelope. */
export interface EnvelopeStep {
  /** Tells the steps apart. */
  readonly kind: 'envelope';
  /**
   * Throws a `MalformedRecordError` where the envelope is not there.
   *
   * @param value The payload, parsed.
   * @internal
   */
  open(value: unknown): OpenedEnvelope;
  /**
   * Reads the payloads of a list that this step is in.
   *
   * @internal
   */
  readonly readPayloads: ReadPayloads;
}

export type OpenedEnvelope =
  | { readonly envelope: Envelope; readonly inner: Payload }
  /** There is no work in it; why. */
  | { readonly ignored: string };

/** What is inside an envelope: text, which may be JSON, or a value. */
type Payload = { readonly text: string } | { readonly value: unknown };

/**
 * Makes entries whose payloads all steps have read, of entries as they were delivered. Each step brings the way to read
 * a list that it is in, so that a step that is not imported is not in the bundle. Never throws or rejects because of a record.
 */
export type ReadPayloads = (
  entries: readonly SourceEntry[],
  steps: readonly DecodeStep[],
  options: ReadOptions,
) => readonly SourceEntry[] | Promise<readonly SourceEntry[]>;

export interface ReadOptions {
  /** Payloads that are decoded at once. */
  readonly concurrency: number;
  /** What is not decoded when it is aborted fails, and the others go on. */
  readonly stop: StopSignal;
  /** Whether what a decoder throws will be thrown at the next delivery too. */
  isPermanent(error: unknown): boolean;
}

/** Reads the payloads of entries: at once where envelopes are all there is to open. */
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

/** What decoders take and give: text, or bytes. */
export type Encoded = string | Uint8Array;

/**
 * Makes one thing of another on the way from what was delivered to the text of the body. The first step gets a text (SQS,
 * SNS) or bytes (Kinesis, Kafka), each other one what the one before it gave; bytes at the end are read as UTF-8. A
 * `DecodeError` says by `isRetryable` whether a later delivery may help; whatever else is thrown may, but for a
 * `PermanentError`. `decoder()` makes a step of it.
 *
 * @param data What the step before gave.
 * @param record The record as it was delivered.
 * @param options The signal of the invocation.
 */
export type Decoder = (
  data: Encoded,
  record: BatchRecord,
  options: DecoderOptions,
) => Encoded | Promise<Encoded>;

/** What a decoder gets besides the payload. */
export interface DecoderOptions {
  /** Aborted when the invocation's time is nearly over. */
  readonly signal: AbortSignal;
}

/**
 * A record's payload could not be decoded, or is JSON too large to be parsed. The record fails alone. Code:
 * `BATCHLATCH_DECODE`.
 */
export class DecodeError extends BatchlatchError {
  /** Whether the same payload may be decoded later: nothing is wrong with it as far as is known. */
  readonly isRetryable: boolean;

  /**
   * Made by batchlatch, and by decoders of your own.
   *
   * @param message Why it could not be decoded; without any of the payload.
   * @param options Whether a later delivery may help, and what made it fail as its `cause`.
   */
  constructor(message: string, options: { cause?: unknown; isRetryable: boolean }) {
    super('BATCHLATCH_DECODE', message, { cause: options.cause });
    this.isRetryable = options.isRetryable;
  }
}

/** The text that decoding ended with. Throws a `DecodeError` for bytes that are no UTF-8. */
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
    throw new DecodeError('The decoded payload is not UTF-8', { cause, isRetryable: false });
  }
}
