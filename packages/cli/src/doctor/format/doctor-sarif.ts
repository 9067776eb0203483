import type { DoctorReport, Severity } from '../finding.ts';
import type { Rule } from '../rules/rule.ts';
import { RULES } from '../rules/all-rules.ts';

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/**
 * Returns the report as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html), for
 * GitHub's code scanning. `file`: the template's path from the root of the repository.
 */
export function doctorSarif(report: DoctorReport, { file }: { readonly file?: string } = {}): string {
  const rules = Object.entries(RULES);
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'batchlatch doctor', rules: rules.map(([code, rule]) => ruleOf(code, rule)) },
        },
        results: report.findings.map(({ code, severity, message, fix, line, resource }) => ({
          ruleId: code,
          ruleIndex: rules.findIndex(([id]) => id === code),
          level: LEVELS[severity],
          message: { text: `${message}\n\nWrite:\n${fix}` },
          locations: [locationOf({ file, line, resource })],
        })),
      },
    ],
  };
  return JSON.stringify(log, undefined, 2);
}

function ruleOf(id: string, { severity, what, why, fix }: Rule): object {
  return {
    id,
    shortDescription: { text: what },
    fullDescription: { text: why },
    help: { text: fix },
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function locationOf({
  file,
  line,
  resource,
}: {
  file: string | undefined;
  line: number | undefined;
  resource: string | undefined;
}): object {
  return {
    // What is deployed has no line, and no place in the file.
    ...(file !== undefined &&
      line !== undefined && {
        physicalLocation: {
          artifactLocation: { uri: file.split(/[\\/]/).map(encodeURIComponent).join('/') },
          region: { startLine: line },
        },
      }),
    ...(resource !== undefined && { logicalLocations: [{ name: resource }] }),
  };
}
