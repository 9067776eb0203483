/** What the project set out to reach, and what a run says about it. */
export interface Target {
  readonly figure: string;
  readonly wanted: string;
  readonly measured: string;
  readonly isReached: boolean;
  /** Why not, with the profile's numbers; there only where it was not reached. */
  readonly reason?: string;
}

export function withReason(target: Target, reason: () => string): Target {
  return target.isReached ? target : { ...target, reason: reason() };
}
