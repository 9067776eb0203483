/** How long rows are kept, in milliseconds, by how the claim ended. After that the key counts as absent. */
export interface Retentions {
  /** Completions, from their end. Default 4 days, which is SQS's default retention. */
  readonly completed: number;
  /**
   * Failed and released claims from their end, and never settled claims from the end of their lease (with
   * `onLapsedLease: 'park'` those are kept as long as parked ones). Attempts and crashes are counted within
   * this time. Default 4 days.
   */
  readonly failed: number;
  /** Parked claims, from when they are parked. Default 90 days. */
  readonly parked: number;
}

export interface AllRetentions extends Retentions {
  /** Never settled claims, from the end of their lease: `failed`; if crashes park, at least `parked`. */
  readonly inProgress: number;
}

/** A number for completions and failures (parked claims are kept at least 90 days), or one for each. */
export type RetentionMs = number | Partial<Retentions>;

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Parked claims are kept for 90 days: SQS keeps a message for at most 14 days, and a dead-letter queue for 14
 * more, so no message is left that the row must stop. `docs/decisions/0005-parked-claims-expire-late.md`.
 */
const DEFAULTS: Retentions = { completed: 4 * DAY_MS, failed: 4 * DAY_MS, parked: 90 * DAY_MS };

/** Returns all retentions. What `given` leaves out is the `inherited` one. */
export function resolveRetention(
  given: RetentionMs = {},
  onLapsedLease: 'rerun' | 'park' = 'rerun',
  inherited: Retentions = DEFAULTS,
): AllRetentions {
  const { completed, failed, parked } = named(given, inherited);
  return {
    completed,
    failed,
    parked,
    inProgress: onLapsedLease === 'park' ? Math.max(failed, parked) : failed,
  };
}

function named(given: RetentionMs, inherited: Retentions): Retentions {
  if (typeof given !== 'number') return { ...inherited, ...given };
  return { completed: given, failed: given, parked: Math.max(given, inherited.parked) };
}
