import type { TemplateFunction, Variable } from '../../template/template-model.ts';
import { FUNCTION_TYPES, QUEUE_TYPES, STREAM_TYPES, TABLE_TYPES } from '../../template/resources.ts';
import { localArn } from '../places.ts';
import { type Reading, templateError } from './reading.ts';

/** Resource types that exist here, or are only a name. */
const HERE = new Set([
  ...QUEUE_TYPES,
  ...TABLE_TYPES,
  ...STREAM_TYPES,
  ...FUNCTION_TYPES,
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::Scheduler::Schedule',
  'AWS::Logs::LogGroup',
]);

/** Returns a function's variables: the template's, then the endpoints of local services, then overrides. */
export function environmentOf(reading: Reading, fn: TemplateFunction): Readonly<Record<string, string>> {
  const { environmentOverrides: given, places } = reading;
  const overrides = {
    ...own(given, 'Parameters'),
    ...own(given, reading.names.nameOf(fn.id)),
    ...own(given, fn.id),
  };
  const { value = [], unknown, line } = fn.variables;
  if (unknown !== undefined) {
    throw templateError(reading, line, `\`Environment.Variables\` of ${fn.name} must be a mapping`);
  }
  const variables = value.filter(({ name }) => !Object.hasOwn(overrides, name));
  return {
    ...Object.fromEntries(variables.flatMap((variable) => entryOf(reading, fn, variable))),
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

function entryOf(
  reading: Reading,
  fn: TemplateFunction,
  { name, text, refersTo }: Variable,
): readonly (readonly [string, string])[] {
  if (text.unknown !== undefined && text.isInvalid !== true) {
    reading.notes.add(
      `${fn.name} runs without ${name}: ${text.unknown}. Give it a value with ` +
        '`--env-vars`, or its parameter with `--parameter-overrides`.',
    );
    return [];
  }
  if (text.value === undefined) {
    throw templateError(reading, text.line, `the variable ${name} of ${fn.name} must be a text`);
  }
  for (const id of refersTo) noteElsewhere(reading, `${name} of ${fn.name}`, id);
  return [[name, TABLE_NAME.test(name) ? text.value.replace(ARN_OF_TABLE, '') : text.value]];
}

/** The variables of batchlatch that hold a table's name or ARN. The emulators of DynamoDB take names only. */
const TABLE_NAME = /^(CLAIMS|OUTBOX)_TABLE_NAME$/;
const ARN_OF_TABLE = localArn('dynamodb', 'table/');

/** Adds a note if a variable names a resource that does not exist here. */
function noteElsewhere(reading: Reading, variable: string, id: string): void {
  const type = reading.names.typeOf(id);
  if (HERE.has(type)) return;
  const what = type === '' ? 'which is not in this template' : `of type ${type}, which does not run here`;
  reading.notes.add(`${variable} names ${id}, ${what}.`);
}
