/** How long rows are remembered, in milliseconds, by how the claim ended. After it the key counts as absent. */
export interface Retentions {
  /** Completions, from their end. Default 4 days, SQS's default retention. */
  readonly completed: number;
  /**
   * Failed and released claims, from their end, and claims that were never settled, from the end of their lease (with
   * `onLapsedLease: 'park'` those are kept as long as parked ones). Attempts and crashes are counted no longer than this.
   * Default 4 days.
   */
  readonly failed: number;
  /** Parked claims, from when they are parked. Default 90 days. */
  readonly parked: number;
}

/** With what follows from them. */
export interface AllRetentions extends Retentions {
  /**
   * Claims that were never settled, from the end of their lease: as `failed`, but as long as what is parked where a person has
   * to look at them.
   */
  readonly inProgress: number;
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
export function resolveRetention(
  given: RetentionMs = {},
  onLapsedLease: 'rerun' | 'park' = 'rerun',
): AllRetentions {
  const { completed, failed, parked } = named(given);
  return {
    completed,
    failed,
    parked,
    inProgress: onLapsedLease === 'park' ? Math.max(failed, parked) : failed,
  };
}

function named(given: RetentionMs): Retentions {
  if (typeof given !== 'number') return { ...DEFAULTS, ...given };
  return { completed: given, failed: given, parked: Math.max(given, DEFAULTS.parked) };
}
