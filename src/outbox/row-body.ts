import { Buffer } from 'node:buffer';
import { BatchlatchError } from '../base/errors.ts';
import { type Clock, waitAtMost } from '../base/clock.ts';
import type { EncodedMessage } from '../messages/encode-message.ts';
import { type LargeBodies, offloaded } from '../messages/large-bodies.ts';

/** The most bytes of a body in a row. DynamoDB's items have at most 400 KB, attributes included. */
export const MOST_BODY_BYTES = 300 * 1_024;
const UPLOAD_MS = 30_000;

/**
 * A body has more than 300 KB and the outbox has no `large`, or it could not be stored in S3. Nothing is
 * written. Code: `BATCHLATCH_OUTBOX_BODY`.
 *
 * @remarks Give the outbox `large: s3Bodies({ bucket })`, or send a reference in place of the content.
 */
export class OutboxBodyError extends BatchlatchError {
  override name = 'OutboxBodyError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param message What is wrong with the body.
   * @param options The cause.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_OUTBOX_BODY', message, options);
  }
}

/** Stores a body elsewhere that is too large for a row. Resolves with the message for the row. */
export async function fitted<Sent extends EncodedMessage>(
  message: Sent,
  large: LargeBodies | undefined,
  clock: Clock,
): Promise<Sent> {
  const bytes = Buffer.byteLength(message.body);
  if (bytes <= MOST_BODY_BYTES) return message;
  if (large === undefined) {
    throw new OutboxBodyError(
      `The body of ${message.type} has ${bytes} bytes, more than the ${MOST_BODY_BYTES} of a row. ` +
        'With `large: s3Bodies({ bucket })` it goes to S3',
    );
  }
  const stop = new AbortController();
  const stored = offloaded(message, large, stop.signal);
  await waitAtMost(clock, UPLOAD_MS, stored);
  stop.abort();
  const over = Promise.reject(
    new OutboxBodyError(`S3 did not take the body of ${message.type} in 30 seconds`),
  );
  return Promise.race([stored, over]).catch((cause: unknown) => {
    if (cause instanceof OutboxBodyError) throw cause;
    throw new OutboxBodyError(`The body of ${message.type} could not be stored in S3`, { cause });
  });
}
