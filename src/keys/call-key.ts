/**
 * A function that returns the whole key of a call, stored without a namespace or version. For tables shared
 * with another library.
 *
 * @typeParam Args The parameters of the function.
 * @param args The arguments of the call.
 */
export interface WholeCallKey<Args extends unknown[] = unknown[]> {
  (...args: Args): string;
  /** Marks a function that returns whole keys. */
  readonly isWholeKey: true;
}

/**
 * A function that returns the payload hash of a call as it is stored, to match the hashes of another library.
 *
 * @typeParam Args The parameters of the function.
 * @param args The arguments of the call.
 */
export interface CallPayloadHash<Args extends unknown[] = unknown[]> {
  (...args: Args): string;
  /** Marks a function that returns a hash, not the value to hash. */
  readonly isPayloadHash: true;
}
