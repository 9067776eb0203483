import type { StopSignal } from '../base/stop.ts';
import type { Decoder } from './decoder.ts';
import type { Envelope } from './record.ts';
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

/** `decode` as a list. */
export function decodeSteps(decode: DecodeStep | readonly DecodeStep[] | undefined): readonly DecodeStep[] {
  if (decode === undefined) return [];
  return 'kind' in decode ? [decode] : decode;
}
