import { FUNCTION_TYPES, QUEUE_TYPES, STREAM_TYPES, TABLE_TYPES } from '../../template/resources.ts';
import type { Reading } from './reading.ts';

/** Resource types that run here. */
const HERE = new Set([
  ...FUNCTION_TYPES,
  ...QUEUE_TYPES,
  ...TABLE_TYPES,
  ...STREAM_TYPES,
  'AWS::Kinesis::StreamConsumer',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::Scheduler::Schedule',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Url',
  'AWS::Serverless::HttpApi',
]);
const MERE_SETTINGS = new RegExp(
  [
    '^AWS::(IAM|Logs|KMS|CDK)::',
    '::[A-Za-z]*Policy$',
    '^AWS::Lambda::(Permission|Version|Alias)$',
    '^AWS::CloudFormation::(?!Stack$)',
  ].join('|'),
);

/** SAM's event types that run here. */
const EVENT_TYPES = new Set([
  'SQS',
  'Kinesis',
  'DynamoDB',
  'EventBridgeRule',
  'CloudWatchEvent',
  'Schedule',
  'ScheduleV2',
  'HttpApi',
]);

/** Adds a note for resources, and one for SAM's events, that do not run here. */
export function noteWhatIsNotHere(reading: Reading): void {
  const { resources, eventTypes, skipped } = reading.model;
  const types = resources.map(({ type }) => type);
  const elsewhere = counted(types.filter((type) => !HERE.has(type) && !MERE_SETTINGS.test(type)));
  if (elsewhere.length > 0) reading.notes.add(`Not run here: ${elsewhere.join(', ')}.`);
  const events = eventTypes.filter((type) => !EVENT_TYPES.has(type));
  if (events.length > 0) {
    reading.notes.add(`Events of these types invoke no function here: ${counted(events).join(', ')}.`);
  }
  for (const sentence of skipped) reading.notes.add(`${sentence}.`);
}

/** Returns each text once, with its count: `AWS::SNS::Topic`, `AWS::CloudWatch::Alarm (14)`. */
function counted(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([text, count]) => (count === 1 ? text : `${text} (${count})`));
}
