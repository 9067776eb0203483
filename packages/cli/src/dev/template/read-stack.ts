import path from 'node:path';
import { parseTemplate, type PlainMembers, plainMembersOf } from '../../template/parse-template.ts';
import { readTemplate } from '../../template/read-template.ts';
import { Resolver } from '../../template/resolver.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION, type Places } from '../places.ts';
import type { DevStack } from '../stack.ts';
import { noteWhatIsNotHere } from './not-here.ts';
import { queueTargets } from './queue-targets.ts';
import type { Reading } from './reading.ts';
import { stackFunctions } from './stack-functions.ts';
import { StackNames } from './stack-names.ts';
import { stackQueues } from './stack-queues.ts';
import { stackStreams, stackTables } from './stack-tables.ts';

/** A template and the values given with it. */
export interface StackSource {
  /** The template's path, from which folders of functions are resolved. */
  readonly file: string;
  readonly text: string;
  /** `AWS::StackName`, and the prefix of generated names. Default: the name of the template's folder. */
  readonly stackName?: string;
  /** Overrides of the defaults of the template's parameters. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /**
   * Variables that override or extend those of the functions, as in `sam local invoke --env-vars`: by logical
   * id or name of a function, or under `Parameters` for all.
   */
  readonly environmentOverrides?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/**
 * Reads a SAM or CloudFormation template as the model for `batchlatch dev`, with local names and addresses.
 * Throws a `ConfigurationError` with file and line for what AWS would refuse, and for required values that
 * are unknown here. Adds a note for each part that does not run here.
 */
export function readStack(source: StackSource, places: Places): DevStack {
  const { file, text, parameters = {}, environmentOverrides = {} } = source;
  const template = parseTemplate({ file, text });
  const stackName = source.stackName ?? stackNameOf(file);
  const names: StackNames = new StackNames(plainMembersOf(template.data['Resources']), {
    file,
    stackName,
    places,
    resolver: () => resolver,
  });
  const resolver: Resolver = new Resolver(template.data, parameters, {
    pseudoParameters: pseudoParameters(stackName),
    lookUp: (id, attribute) => names.attribute(id, attribute),
    nameOf: (id) => names.nameOf(id),
  });
  const model = readTemplate(template, resolver);
  const reading: Reading = {
    file,
    places,
    model,
    names,
    environmentOverrides,
    notes: new Set(),
    functionNotes: new Map(),
  };
  for (const { key, line } of template.repeated) {
    reading.notes.add(`The first value of ${key} is not used: line ${line} sets it again.`);
  }
  noteUnused(reading, parameters, plainMembersOf(template.data['Parameters']));
  const ofInputs = [...reading.notes];
  const stack = {
    functions: stackFunctions(reading),
    queues: stackQueues(reading),
    tables: stackTables(reading),
    streams: stackStreams(reading),
    queueTargets: queueTargets(reading),
  };
  noteWhatIsNotHere(reading);
  const invocationNotes = new Map(
    [...reading.functionNotes].map(([id, notes]) => [id, [...ofInputs, ...notes]] as const),
  );
  return { ...stack, notes: [...reading.notes], invocationNotes };
}

/** Adds a note for each given value that nothing takes, as after a typing error. */
function noteUnused(
  { model, names, environmentOverrides, notes }: Reading,
  given: Readonly<Record<string, string>>,
  declared: PlainMembers,
): void {
  for (const name of Object.keys(given).filter((one) => !Object.hasOwn(declared, one))) {
    notes.add(`The value of ${name} is not used: the template has no such parameter.`);
  }
  const functions = new Set(['Parameters', ...model.functions.flatMap(({ id }) => [id, names.nameOf(id)])]);
  for (const name of Object.keys(environmentOverrides).filter((one) => !functions.has(one))) {
    notes.add(`The variables of ${name} are not used: the template has no such function.`);
  }
}

/** Returns the name of the template's folder, without characters that a stack's name may not have. */
function stackNameOf(file: string): string {
  const folder = path.basename(path.dirname(path.resolve(file)));
  const name = folder
    .replaceAll(/[^A-Za-z0-9-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 30);
  return name.replace(/-+$/, '') || 'batchlatch-dev';
}

function pseudoParameters(stackName: string): Readonly<Record<string, string>> {
  return {
    'AWS::AccountId': LOCAL_ACCOUNT,
    'AWS::Partition': 'aws',
    'AWS::Region': LOCAL_REGION,
    'AWS::StackId':
      `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT}:stack/${stackName}/` +
      '00000000-0000-0000-0000-000000000000',
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
}
