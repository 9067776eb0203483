import type { KnownOptions, Setting } from './model.ts';
import { readAsynchronous } from './read-asynchronous.ts';
import { readCode } from './read-code.ts';
import { readRole } from './read-role.ts';
import { FUNCTION_TYPES, type TemplateResource, type TemplateResources } from './resources.ts';
import { setting } from './settings.ts';
import type { TemplateFunction, Variable } from './template-model.ts';
import {
  asList,
  asMembers,
  asNumber,
  asText,
  type Members,
  member,
  referencesOf,
  type Value,
} from './values.ts';

// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-function.html
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_MEMORY_MB = 128;

export function readFunctions(resources: TemplateResources): readonly TemplateFunction[] {
  return resources.ofType(...FUNCTION_TYPES).map((resource) => readFunction(resource, resources));
}

function readFunction(resource: TemplateResource, resources: TemplateResources): TemplateFunction {
  const { id, name, line, ignore } = resource;
  const environment = setting(resource, ['Environment', 'Variables'], textsOf, new Map<string, string>());
  return {
    id,
    name,
    line,
    ignore,
    timeoutSeconds: setting(resource, ['Timeout'], asNumber, DEFAULT_TIMEOUT_SECONDS),
    runtime: setting(resource, ['Runtime'], asText),
    reservedConcurrency: setting(resource, ['ReservedConcurrentExecutions'], asNumber),
    environment,
    variables: readVariables(resource),
    memoryMb: setting(resource, ['MemorySize'], asNumber, DEFAULT_MEMORY_MB),
    code: readCode(resource),
    hasLayers: asList(resource.value['Layers']).length > 0,
    role: readRole(resource, resources),
    ...readAsynchronous(resource, resources),
    options: readOptions(resource, environment),
  };
}

function textsOf(value: Value): ReadonlyMap<string, string> | undefined {
  const members = asMembers(value);
  if (members === undefined) return undefined;
  return new Map(Object.entries(members).map(([name, one]) => [name, asText(one) ?? '<?>']));
}

function readVariables(resource: TemplateResource): Setting<readonly Variable[]> {
  const path = ['Environment', 'Variables'];
  const variables = setting(resource, path, asMembers, {});
  const value = Object.entries(variables.value ?? {}).map(([name, one]) => ({
    name,
    text: setting(resource, [...path, name], asText),
    refersTo: referencesOf(one),
  }));
  return { ...variables, value };
}

/**
 * Reads the options that the code passes to batchlatch, from `Metadata.batchlatch` of the function, or from
 * variables whose names end in `LEASE_MS` and `RETENTION_MS`.
 */
function readOptions(
  { attributes, line }: TemplateResource,
  environment: Setting<ReadonlyMap<string, string>>,
): KnownOptions {
  const said = asMembers(member(attributes, 'Metadata', 'batchlatch')) ?? {};
  return {
    leaseMs: optionOf(said, 'leaseMs', environment, /(?:^|_)LEASE_MS$/i, line),
    retentionMs: optionOf(said, 'retentionMs', environment, /(?:^|_)RETENTION_MS$/i, line),
    writes: asText(said['writes']),
    key: asText(said['key']),
  };
}

function optionOf(
  said: Members,
  name: string,
  environment: Setting<ReadonlyMap<string, string>>,
  variable: RegExp,
  line: number | undefined,
): Setting<number> {
  const known = asNumber(said[name]);
  if (known !== undefined) return { value: known, line };
  const found = [...(environment.value ?? [])].find(([key]) => variable.test(key));
  return { value: found === undefined ? undefined : asNumber(found[1]), line: environment.line };
}
