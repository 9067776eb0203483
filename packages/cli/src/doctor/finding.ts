/** An `error` loses work, repeats it or cannot be deployed; a `warning` may; an `info` is worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** A mistake in a template or a deployed resource. */
export interface Finding {
  /** Stable, in kebab-case, such as `report-batch-item-failures-off`. docs/doctor.md has a row for each. */
  readonly code: string;
  readonly severity: Severity;
  /** The mistake, with the name of the resource. */
  readonly message: string;
  /** The consequence. */
  readonly why: string;
  /** The lines to write. */
  readonly fix: string;
  /** The line in the template, from 1; absent for a deployed resource. */
  readonly line?: number;
  /** The logical id, or the name of the deployed resource. */
  readonly resource?: string;
  /** The page and heading that explain more. */
  readonly docs?: string;
}

/** The findings of `doctor`, the resources it checked, and those it could not judge. */
export interface DoctorReport {
  /** Errors first, then in the order of the file. */
  readonly findings: readonly Finding[];
  /** The resources that were checked, such as `queue OrdersQueue`. */
  readonly checked: readonly string[];
  /** Resources and settings that could not be judged, with the reason. */
  readonly skipped: readonly string[];
}
