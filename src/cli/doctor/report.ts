import type { DoctorReport } from '../../doctor/index.ts';

/** Whether a report is one that should end a build. */
export function hasErrors({ findings }: DoctorReport, isStrict = false): boolean {
  return findings.some(({ severity }) => severity === 'error' || (isStrict && severity === 'warning'));
}
