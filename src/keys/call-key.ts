/**
 * Gives the key of a call as it is stored: neither a namespace nor a version is put before it. For tables whose keys
 * another library makes too.
 *
 * @typeParam Args The parameters of the function.
 * @param args The arguments of the call.
 */
export interface WholeCallKey<Args extends unknown[] = unknown[]> {
  (...args: Args): string;
  /** Tells it apart from functions that give a part of the key. */
  readonly isWholeKey: true;
}

/**
 * Gives the payload hash of a call as it is stored, where another library makes the same.
 *
 * @typeParam Args The parameters of the function.
 * @param args The arguments of the call.
 */
export interface CallPayloadHash<Args extends unknown[] = unknown[]> {
  (...args: Args): string;
  /** Tells it apart from functions that give what is to be hashed. */
  readonly isPayloadHash: true;
}
