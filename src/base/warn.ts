/** The codes of process warnings. `docs/errors.md` is made from these comments. */
export type WarningCode =
  /**
   * A process warning, once. Code: `BATCHLATCH_KEY_PATH_NEVER_SEEN`.
   *
   * @remarks Check the spelling of the path.
   */
  | 'BATCHLATCH_KEY_PATH_NEVER_SEEN'
  /**
   * A process warning, mostly with emulators. Code: `BATCHLATCH_SINGLE_WRITES`.
   *
   * @remarks Set `writes: 'single'` of `dynamoDBStore`.
   */
  | 'BATCHLATCH_SINGLE_WRITES'
  /**
   * A process warning, and a problem of `checkRedis`. Code: `BATCHLATCH_EVICTION`.
   *
   * @remarks Set `maxmemory-policy noeviction`: docs/stores/redis.md#set-it-up.
   */
  | 'BATCHLATCH_EVICTION';

export function warn(code: WarningCode, message: string): void {
  process.emitWarning(message, { type: 'BatchlatchWarning', code });
}
