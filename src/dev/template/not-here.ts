import { asMembers, asText, member } from '../../template/values.ts';
import { FUNCTION_TYPES, QUEUE_TYPES, type Reading, TABLE_TYPES } from './reading.ts';
import { EVENT_TYPES } from './read-triggers.ts';

/** What runs here, and what has nothing to run: permissions, logs, versions. */
const HERE = new Set([
  ...FUNCTION_TYPES,
  ...QUEUE_TYPES,
  ...TABLE_TYPES,
  'AWS::Kinesis::Stream',
  'AWS::Kinesis::StreamConsumer',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::Scheduler::Schedule',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::EventInvokeConfig',
]);
const MERE_SETTINGS =
  /^AWS::(IAM|Logs|KMS|CDK)::|::[A-Za-z]*Policy$|^AWS::Lambda::(Permission|Version|Alias)$|^AWS::CloudFormation::(?!Stack$)/;

/** One note for the resources, and one for the events of SAM, that do not run here. */
export function noteWhatIsNotHere(reading: Reading): void {
  const types = reading.resources.all.map(({ type }) => type);
  const elsewhere = counted(types.filter((type) => !HERE.has(type) && !MERE_SETTINGS.test(type)));
  if (elsewhere.length > 0) reading.notes.add(`Not run here: ${elsewhere.join(', ')}.`);
  const events = reading.resources
    .ofType('AWS::Serverless::Function')
    .flatMap(({ value }) => Object.values(asMembers(value['Events']) ?? {}))
    .map((event) => asText(member(event, 'Type')) ?? 'events without a type')
    .filter((type) => !EVENT_TYPES.has(type));
  if (events.length > 0) {
    reading.notes.add(`Events of these types run no function here: ${counted(events).join(', ')}.`);
  }
  for (const skipped of reading.resources.skipped) reading.notes.add(`${skipped}.`);
}

/** `AWS::SNS::Topic`, `AWS::CloudWatch::Alarm (14)`. */
function counted(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([text, count]) => (count === 1 ? text : `${text} (${count})`));
}
