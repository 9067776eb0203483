/** The claim of an attempt. The lease can grow; the rest stays as it was acquired. */
export interface HeldClaim {
  readonly owner: string;
  readonly attempt: number;
  readonly releases: number;
  readonly crashes: number;
  leaseUntil: number;
}
