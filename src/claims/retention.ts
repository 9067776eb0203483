/** How long rows are remembered, in milliseconds, by how the claim ended. After it the key counts as absent. */
export interface Retentions {
  /** Completions, from their end. Default 4 days, SQS's default retention. */
  readonly completed: number;
  /**
   * Failed and released claims, from their end, and claims that nobody ends, from the end of their lease. Attempts and
   * crashes are counted no longer than this. Default 4 days.
   */
  readonly failed: number;
  /** Parked claims, from when they are parked. Default 90 days. */
  readonly parked: number;
}

/** One number for completions and failures (what is parked is kept for 90 days at least), or a number for each. */
export type RetentionMs = number | Partial<Retentions>;

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * 90 days for what is parked: SQS keeps a message for at most 14 days, and a dead-letter queue for 14 more, so by then
 * none is left that the row would have to stop. `docs/decisions/0005-parked-claims-expire-late.md`.
 */
const DEFAULTS: Retentions = { completed: 4 * DAY_MS, failed: 4 * DAY_MS, parked: 90 * DAY_MS };

/** The option with its defaults. */
export function resolveRetention(given: RetentionMs = {}): Retentions {
  if (typeof given === 'number') {
    return { completed: given, failed: given, parked: Math.max(given, DEFAULTS.parked) };
  }
  const { completed = DEFAULTS.completed, failed = DEFAULTS.failed, parked = DEFAULTS.parked } = given;
  return { completed, failed, parked };
}
