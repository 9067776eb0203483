import type { Severity } from '../finding.ts';

/** What `doctor` can find: the same texts are in docs/doctor.md. */
export interface Rule {
  /** As it usually is; a finding may be milder. */
  readonly severity: Severity;
  /** Whether it is reported only when all findings are asked for: many good setups do without it. */
  readonly isOptional?: boolean;
  /** In general, without names. */
  readonly what: string;
  readonly why: string;
  /** In general; a finding has the lines. */
  readonly fix: string;
  /** A page of `docs`, and its heading. */
  readonly docs?: string;
}

/** Rules by the codes of their findings. */
export type Rules = Readonly<Record<string, Rule>>;
