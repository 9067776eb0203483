/** How bad a finding is: an `error` loses work, runs it twice or cannot be deployed; a `warning` may; an `info` is worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** One mistake in a template, or in what is deployed. */
export interface Finding {
  /** Stable, in kebab-case, such as `report-batch-item-failures-off`. docs/doctor.md has a row for each. */
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong, with the name of the resource. */
  readonly message: string;
  /** What happens because of it. */
  readonly why: string;
  /** The lines to write into the template. */
  readonly fix: string;
  /** Where in the file, from 1; absent for what is deployed. */
  readonly line?: number;
  /** The logical id, or the name of what is deployed. */
  readonly resource?: string;
  /** The page, and its heading, that explains more. */
  readonly docs?: string;
}

/** What `doctor` found, what it looked at, and what it could not judge. */
export interface DoctorReport {
  /** Errors first, then in the order of the file. */
  readonly findings: readonly Finding[];
  /** What was looked at, such as `queue OrdersQueue`. */
  readonly checked: readonly string[];
  /** What could not be judged, and why. Nothing is guessed. */
  readonly skipped: readonly string[];
}
