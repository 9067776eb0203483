import type { DoctorReport } from '../finding.ts';

/** Returns the report as indented JSON: `{ "findings": [{ "code", … }], "checked", "skipped" }`. */
export function doctorJson(report: DoctorReport): string {
  const { findings, checked, skipped } = report;
  return JSON.stringify({ findings, checked, skipped }, undefined, 2);
}
