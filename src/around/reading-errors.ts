import { BatchlatchError } from '../base/errors.ts';

/**
 * `suspectsFirst()`: `maxCrashes` processes, at least three, died while reading the record. It is `invalid`,
 * until its mark is forgotten after `retentionMs`. Code: `BATCHLATCH_READING_KILLS`.
 *
 * @remarks See docs/policies/reading.md.
 */
export class ReadingKillsError extends BatchlatchError {
  override name = 'ReadingKillsError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param deaths How many processes died.
   */
  constructor(deaths: number) {
    super(
      'BATCHLATCH_READING_KILLS',
      `${deaths} processes died while reading this record ` +
        '(`decode`, `key`, `namespace`, `payloadValidation`), so it is not read again. Fix them',
    );
  }
}

/**
 * `suspectsFirst()`: the record was handed back unread, for the reason in the message. Code:
 * `BATCHLATCH_NOT_READ`.
 *
 * @remarks None, unless the same record keeps coming.
 */
export class NotReadError extends BatchlatchError {
  override name = 'NotReadError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param because Why it was not read.
   * @param options The `cause`.
   */
  constructor(because: keyof typeof WHY_NOT_READ, options?: { cause: unknown }) {
    super('BATCHLATCH_NOT_READ', `The record was not read: ${WHY_NOT_READ[because]}`, options);
  }
}

const WHY_NOT_READ = {
  killed: 'a process died while reading it; it is read when it is delivered without the rest of its batch',
  elsewhere: 'another process is reading it, or died while reading it and its lease is not over yet',
  store: 'the claim store did not say whether reading it is safe',
  time: "the function's time was nearly over",
} as const;
