import { gunzip } from 'node:zlib';
import { bytesOfBase64 } from './base64.ts';
import { decoder } from './decode-payloads.ts';
import type { DecoderStep } from './decode-step.ts';
import { checkedMaxBytes } from './function-memory.ts';
import { inflatePayload } from './inflate.ts';

/** Options of `gzip()`. */
export interface GzipOptions {
  /**
   * The most bytes a payload may inflate to; a few kilobytes of gzip can hold gigabytes. Default 10 MB
   * (10,485,760), or a 64th of the function's memory if that is less: 2 MB at 128 MB.
   */
  readonly maxBytes?: number;
}

/**
 * Returns a step of `decode` that inflates gzip from bytes, or from base64 text as in SQS and SNS messages.
 * Payloads that inflate to more than 256 KB are processed one at a time in the whole process, smaller ones
 * concurrently. Throws a `ConfigurationError` for invalid options.
 *
 * @param options The maximum length of the inflated payload.
 */
export function gzip(options: GzipOptions = {}): DecoderStep {
  const maxBytes = checkedMaxBytes('gzip', options);
  return decoder(async (data) =>
    inflatePayload(['gzip', gunzip], typeof data === 'string' ? bytesOfBase64(data) : data, maxBytes),
  );
}
