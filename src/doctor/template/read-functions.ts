import type { AsyncSettings, KnownOptions, LambdaFunction } from '../model.ts';
import type { Setting } from '../../template/facts.ts';
import { readRole } from './read-role.ts';
import { placeIn, setting, type TemplateResource, type TemplateResources } from '../../template/resources.ts';
import { asMembers, asNumber, asText, type Members, member, type Value } from '../../template/values.ts';

const FUNCTION_TYPES: readonly string[] = ['AWS::Serverless::Function', 'AWS::Lambda::Function'];

const ALIAS_TYPES = ['AWS::Lambda::Alias', 'AWS::Lambda::Version'];

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-function.html */
const DEFAULT_TIMEOUT_SECONDS = 3;
const DEFAULT_RETRIES = 2;

export function readFunctions(resources: TemplateResources): readonly LambdaFunction[] {
  return resources.ofType(...FUNCTION_TYPES).map((resource) => readFunction(resource, resources));
}

/** The function that a value names, itself or by one of its aliases and versions. */
export function findFunction(value: Value, resources: TemplateResources): TemplateResource | undefined {
  const found = resources.find(value, [...FUNCTION_TYPES, ...ALIAS_TYPES]);
  if (found === undefined || FUNCTION_TYPES.includes(found.type)) return found;
  return resources.find(found.value['FunctionName'], FUNCTION_TYPES);
}

function readFunction(resource: TemplateResource, resources: TemplateResources): LambdaFunction {
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
    role: readRole(resource, resources),
    asynchronous: readAsync(resource, resources),
    options: readOptions(resource, environment),
  };
}

function textsOf(value: Value): ReadonlyMap<string, string> | undefined {
  const members = asMembers(value);
  if (members === undefined) return undefined;
  return new Map(Object.entries(members).map(([name, one]) => [name, asText(one) ?? '<?>']));
}

function readAsync(resource: TemplateResource, resources: TemplateResources): AsyncSettings {
  const own = placeIn(resource, ['EventInvokeConfig']);
  const apart = resources
    .ofType('AWS::Lambda::EventInvokeConfig')
    .find(({ value }) => findFunction(value['FunctionName'], resources)?.id === resource.id);
  const place = apart ?? own;
  const deadLetters = resource.value['DeadLetterQueue'] ?? resource.value['DeadLetterConfig'];
  return {
    retries: setting(place, ['MaximumRetryAttempts'], asNumber, DEFAULT_RETRIES),
    hasDeadLetterQueue: ownDeadLetterQueue(resource),
    keepsFailures:
      deadLetters === undefined
        ? {
            ...setting(place, ['DestinationConfig', 'OnFailure'], () => true, false),
            line: place.line ?? resource.line,
          }
        : { value: true },
  };
}

function ownDeadLetterQueue(resource: TemplateResource): Setting<boolean> {
  const property = ['DeadLetterQueue', 'DeadLetterConfig'].find((name) => resource.value[name] !== undefined);
  return property === undefined ? { value: false } : setting(resource, [property], () => true, false);
}

/**
 * What the code passes to batchlatch is not in a template. It can be said in the function's `Metadata`, under `batchlatch`, or
 * is in variables whose names end in `LEASE_MS` and `RETENTION_MS`.
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
