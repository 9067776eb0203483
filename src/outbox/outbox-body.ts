import { boundedCall } from '../base/bounded.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { ConfigurationError, StoreError } from '../base/errors.ts';
import { UPLOAD_MS } from '../base/limits.ts';
import { KeyError } from '../keys/errors.ts';
import type { EncodedMessage } from '../messages/encode-message.ts';
import { type LargeBodies, offloaded } from '../messages/large-bodies.ts';

/** The longest body in a row. A row is read, sent and deleted: longer ones are kept in S3. */
const LONGEST_BODY_BYTES = 300 * 1_024;
/** The longest message group of SQS and SNS. */
const LONGEST_GROUP = 128;

/** Stores a body that is too long for a row. Resolves with the message to add. */
export async function prepareBody<Sent extends EncodedMessage>(
  message: Sent,
  large: LargeBodies | undefined,
  clock: Clock = systemClock,
): Promise<Sent> {
  if (large === undefined || bytesOf(message) <= LONGEST_BODY_BYTES) {
    assertFits(message, large !== undefined);
    return message;
  }
  assertGroup(message);
  const errorOf = (): Error =>
    new StoreError(`The body of ${message.type} was not stored in ${UPLOAD_MS / 1_000} seconds`, {
      isRetryable: true,
    });
  const limit = { clock, limitMs: UPLOAD_MS, errorOf };
  return boundedCall((signal) => offloaded(message, large, signal), limit);
}

/** Throws for a message that the database or the target would refuse, which would spoil the transaction. */
export function assertFits(message: EncodedMessage, hasLarge: boolean): void {
  const bytes = bytesOf(message);
  if (bytes > LONGEST_BODY_BYTES) {
    throw new ConfigurationError(
      `The body of ${message.type} has ${bytes} bytes, and a row holds ${LONGEST_BODY_BYTES}. ` +
        (hasLarge
          ? 'Store it before the transaction: addAll(client, [await outbox.prepare(type, body)])'
          : 'Set `large: s3Bodies({ bucket })` to store it before the transaction'),
    );
  }
  assertGroup(message);
}

function assertGroup({ type, group }: EncodedMessage): void {
  if (group === undefined || (group !== '' && group.length <= LONGEST_GROUP && !UNFIT.test(group))) return;
  throw new KeyError(
    `The group of ${type} is not 1 to ${LONGEST_GROUP} printable ASCII characters without spaces, ` +
      'which message groups consist of',
  );
}

const UNFIT = /[^\x21-\x7e]/;

function bytesOf({ body }: EncodedMessage): number {
  // Three bytes of UTF-8 at most for each of a string's units.
  return body.length * 3 <= LONGEST_BODY_BYTES ? body.length : Buffer.byteLength(body);
}
