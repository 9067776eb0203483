import type { TemplateResource } from '../../template/resources.ts';
import {
  asMembers,
  asText,
  Composite,
  type Members,
  member,
  Reference,
  type Value,
  whyUnknown,
} from '../../template/values.ts';
import { FUNCTION_TYPES, QUEUE_TYPES, type Reading, TABLE_TYPES, templateError } from './reading.ts';

/** What is on this machine, or is a mere name. */
const HERE = new Set([
  ...QUEUE_TYPES,
  ...TABLE_TYPES,
  ...FUNCTION_TYPES,
  'AWS::Kinesis::Stream',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::Scheduler::Schedule',
  'AWS::Logs::LogGroup',
]);

/** A function's variables: the template's, then where this machine's services are, then what was given for it. */
export function readEnvironment(
  reading: Reading,
  resource: TemplateResource,
): Readonly<Record<string, string>> {
  const { environmentOverrides: given, places } = reading;
  const overrides = {
    ...own(given, 'Parameters'),
    ...own(given, reading.names.nameOf(resource.id)),
    ...own(given, resource.id),
  };
  const variables = member(resource.value, 'Environment', 'Variables');
  const members = asMembers(variables);
  if (variables !== undefined && variables !== null && members === undefined) {
    throw templateError(
      reading,
      resource.lineOf(['Environment', 'Variables']),
      `\`Environment.Variables\` of ${resource.name} must be a mapping`,
    );
  }
  return {
    ...ofTemplate(reading, resource, members ?? {}, overrides),
    AWS_ENDPOINT_URL_SQS: places.sqs,
    AWS_ENDPOINT_URL_DYNAMODB: places.dynamodb,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: places.dynamodb,
    AWS_ENDPOINT_URL_EVENTBRIDGE: places.eventbridge,
    AWS_ENDPOINT_URL_KINESIS: places.kinesis,
    ...overrides,
  };
}

function own(overrides: Reading['environmentOverrides'], name: string): Readonly<Record<string, string>> {
  return Object.hasOwn(overrides, name) ? (overrides[name] ?? {}) : {};
}

function ofTemplate(
  reading: Reading,
  resource: TemplateResource,
  variables: Members,
  overrides: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(variables).flatMap(([name, value]): [string, string][] => {
    if (Object.hasOwn(overrides, name)) return [];
    const why = whyUnknown(value);
    if (why !== undefined) {
      reading.notes.add(
        `${resource.name} runs without ${name}: ${why}. Give it a value with \`--env-vars\`, or its parameter with \`--parameter-overrides\`.`,
      );
      return [];
    }
    const text = asText(value);
    if (text === undefined) {
      const line = resource.lineOf(['Environment', 'Variables', name]);
      throw templateError(reading, line, `the variable ${name} of ${resource.name} must be a text`);
    }
    noteElsewhere(reading, resource, name);
    return [[name, text]];
  });
  return Object.fromEntries(entries);
}

/** That a variable names something that is not on this machine. */
function noteElsewhere(reading: Reading, resource: TemplateResource, variable: string): void {
  const unresolved = reading.unresolved.byId(resource.id)?.value;
  const value = member(unresolved, 'Environment', 'Variables', variable);
  for (const id of referred(value)) {
    const type = reading.names.typeOf(id);
    if (!HERE.has(type)) {
      const what = type === '' ? 'which is not in this template' : `of type ${type}, which does not run here`;
      reading.notes.add(`${variable} of ${resource.name} names ${id}, ${what}.`);
    }
  }
}

function referred(value: Value): readonly string[] {
  if (value instanceof Reference) return [value.resource];
  if (!(value instanceof Composite)) return [];
  return value.parts.flatMap((part) => (part instanceof Reference ? [part.resource] : []));
}
