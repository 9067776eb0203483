import { examine } from './examine.ts';
import type { DoctorReport } from './finding.ts';
import { parseState } from '../template/parse-state.ts';
import { parseTemplate, plainMembersOf } from '../template/parse-template.ts';
import { readTemplate } from '../template/read-template.ts';
import { Resolver } from '../template/resolver.ts';
import type { TemplateModel } from '../template/template-model.ts';

/**
 * Finds mistakes in a template of CloudFormation or SAM, or in the state of an SST app. `parameters` override
 * the template's defaults. `now`, in epoch milliseconds, decides which runtimes are deprecated. `all` reports
 * optional findings too.
 * Throws a `ConfigurationError` if the text is not a template.
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
  const template = parseState(source) ?? parseTemplate(source);
  const model = readTemplate(template, new Resolver(template.data, parameters));
  const declared = plainMembersOf(template.data['Parameters']);
  const unused = Object.keys(parameters)
    .filter((name) => !Object.hasOwn(declared, name))
    .map((name) => `the value of ${name}: the template has no such parameter`);
  const repeated = template.repeated.map(
    ({ key, line }) => `the first value of ${key}: line ${line} sets it again, and the last one counts`,
  );
  const skipped = [...unused, ...repeated, ...skippedOf(model)];
  return examine({ ...model, origin: 'template', now, claimsTables: new Set() }, skipped, { all });
}

const NOT_JUDGED: Readonly<Record<string, string>> = {
  'AWS::Pipes::Pipe': 'EventBridge Pipes are not judged',
  'AWS::CloudFormation::Stack': 'nested stacks are not read; give their templates to doctor too',
  'AWS::Serverless::Application': 'nested stacks are not read; give their templates to doctor too',
};

function skippedOf({ skipped, resources }: TemplateModel): readonly string[] {
  const others = resources.flatMap(({ name, type }) =>
    Object.hasOwn(NOT_JUDGED, type) ? [`${name}: ${NOT_JUDGED[type]}`] : [],
  );
  return [...skipped, ...others];
}
