import { Examination, type ExaminationOptions, type Subject } from './examination.ts';
import type { DoctorReport } from './finding.ts';
import { AWS_RULES, CHECKS } from './rules/all-rules.ts';

/** Runs all checks on a model. `skipped`: what could not be read into the model. */
export function examine(
  model: Subject,
  skipped: readonly string[] = [],
  options: ExaminationOptions = {},
): DoctorReport {
  const examination = new Examination(model, AWS_RULES, options);
  for (const check of CHECKS) check(examination);
  return examination.result(skipped);
}
