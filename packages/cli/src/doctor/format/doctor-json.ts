import type { DoctorReport } from '../finding.ts';

/** The report as JSON, with two spaces of indentation: `{ "findings": [{ "code", "severity", "message", … }], "checked", "skipped" }`. */
export function doctorJson(report: DoctorReport): string {
  const { findings, checked, skipped } = report;
  return JSON.stringify({ findings, checked, skipped }, undefined, 2);
}
