import type { EncodedMessage } from './encode-message.ts';

/** A storage for bodies that are too large for a message. Created by `s3Bodies()` of `batchlatch/s3`. */
export interface LargeBodies {
  /**
   * Stores a body, and resolves with the text that is sent in its place.
   *
   * @param body JSON text.
   * @param options The signal that ends the wait.
   */
  put(body: string, options: { readonly signal: AbortSignal }): Promise<string>;
}

/** The attribute that marks a pointer to S3, with the body's bytes. It is a number on the wire. */
export const PAYLOAD_SIZE = 'ExtendedPayloadSize';

/** Stores the body of a message elsewhere. Resolves with the message that is sent in its place. */
export async function offloaded<Sent extends EncodedMessage>(
  message: Sent,
  large: LargeBodies,
  signal: AbortSignal,
): Promise<Sent> {
  const body = await large.put(message.body, { signal });
  const bytes = new TextEncoder().encode(message.body).length;
  return { ...message, body, attributes: { ...message.attributes, [PAYLOAD_SIZE]: String(bytes) } };
}
