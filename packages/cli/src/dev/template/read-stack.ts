import path from 'node:path';
import { parseTemplate, plainMembersOf } from '../../template/parse-template.ts';
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

/** A template, and what is given with it. */
export interface StackSource {
  /** Its path; the folders of functions are found from it. */
  readonly file: string;
  readonly text: string;
  /**
   * What `AWS::StackName` is, and what names without one of their own begin with. Default: the name of the
   * template's folder.
   */
  readonly stackName?: string;
  /** Values of the template's parameters; those that are left out have their defaults. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /**
   * Variables that replace or add to those of the functions, as `sam local invoke --env-vars` takes them: by
   * the logical id or the name of a function, and those of all functions under `Parameters`.
   */
  readonly environmentOverrides?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/**
 * Reads a template of SAM or CloudFormation as what `batchlatch dev` runs, with the names and addresses of
 * this machine. Throws a `ConfigurationError` with file and line for what AWS would refuse too, and for
 * values that cannot be known here and are needed. What does not run here is in the notes.
 */
export function readStack(source: StackSource, places: Places): DevStack {
  const { file, text, parameters = {}, environmentOverrides = {} } = source;
  const template = parseTemplate({ file, text });
  const stackName = source.stackName ?? stackNameOf(file);
  const names: StackNames = new StackNames(plainMembersOf(template.data['Resources']), {
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
  const reading: Reading = { file, places, model, names, environmentOverrides, notes: new Set() };
  const stack = {
    functions: stackFunctions(reading),
    queues: stackQueues(reading),
    tables: stackTables(reading),
    streams: stackStreams(reading),
    queueTargets: queueTargets(reading),
  };
  noteWhatIsNotHere(reading);
  return { ...stack, notes: [...reading.notes] };
}

/** The name of the template's folder, as far as it can be the name of a stack. */
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
    'AWS::StackId': `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT}:stack/${stackName}/00000000-0000-0000-0000-000000000000`,
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
}
