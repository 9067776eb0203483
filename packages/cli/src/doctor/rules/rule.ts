import type { Severity } from '../finding.ts';

/** A kind of mistake that `doctor` finds; docs/doctor.md has the same texts, except `fix`. */
export interface Rule {
  /** The usual severity; a finding may be milder. */
  readonly severity: Severity;
  /** Whether it is reported only with `all`: many good setups do without the fix. */
  readonly isOptional?: boolean;
  /** The mistake in general, without names. */
  readonly what: string;
  readonly why: string;
  /** The fix in general; a finding has the lines to write. */
  readonly fix: string;
  /** A page of `docs` and its heading. */
  readonly docs?: string;
}

export type Rules = Readonly<Record<string, Rule>>;
