import { doctorJson, type DoctorReport, doctorText } from '../../doctor/index.ts';
import type { Context } from '../context.ts';

/** Returns whether a report should fail a build. */
export function hasErrors({ findings }: DoctorReport, isStrict = false): boolean {
  return findings.some(({ severity }) => severity === 'error' || (isStrict && severity === 'warning'));
}

/** Prints a report of deployed resources, and returns the exit status. */
export function showReport(report: DoctorReport, { screen }: Pick<Context, 'screen'>): 0 | 1 {
  if (screen.isJson) screen.json(JSON.parse(doctorJson(report)));
  else screen.text(doctorText(report, { colour: screen.hasColors, width: screen.width ?? 100 }));
  return hasErrors(report) ? 1 : 0;
}
