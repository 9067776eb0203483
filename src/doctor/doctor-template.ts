import { examine } from './checks/examine.ts';
import type { DoctorReport } from './finding.ts';
import { parseTemplate } from '../template/parse-template.ts';
import { readTemplate } from './template/read-template.ts';

/**
 * Looks for mistakes in a template of CloudFormation or SAM, in YAML or JSON. `parameters` are values of the template's
 * parameters; those that are left out have their defaults. `now` is the time, in epoch milliseconds, that decides which runtimes
 * are deprecated. `all` reports optional findings too. Throws a `ConfigurationError` if the text is no template.
 */
export function doctorTemplate(
  source: { readonly file: string; readonly text: string },
  {
    parameters = {},
    now = Date.now(),
    all = false,
  }: {
    readonly parameters?: Readonly<Record<string, string>>;
    readonly now?: number;
    readonly all?: boolean;
  } = {},
): DoctorReport {
  const { model, skipped } = readTemplate(parseTemplate(source), parameters);
  return examine({ ...model, now }, skipped, { all });
}
