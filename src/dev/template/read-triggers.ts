import type { DevTrigger } from '../stack.ts';
import { placeIn, type TemplateResource } from '../../template/resources.ts';
import { asMembers, asText, member } from '../../template/values.ts';
import { readMapping } from './read-mapping.ts';
import type { Reading } from './reading.ts';
import { readRuleTargets, readSamRule } from './read-rules.ts';
import { readSamSchedule, readSchedule } from './read-schedules.ts';

/** Everything of the template that runs a function. */
export function readTriggers(reading: Reading, resource: TemplateResource): readonly DevTrigger[] {
  const isThis = namesOf(reading, resource);
  const { resources } = reading;
  return [
    ...samEvents(reading, resource),
    ...resources
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ value }) => isThis(asText(value['FunctionName'])))
      .flatMap((one) => readMapping(reading, { place: one, name: one.name }, one.id, 'EventSourceArn')),
    ...resources
      .ofType('AWS::Events::Rule')
      .flatMap((rule) => readRuleTargets(reading, rule, isThis).map(({ trigger }) => trigger)),
    ...resources
      .ofType('AWS::Scheduler::Schedule')
      .filter(({ value }) => isThis(asText(member(value, 'Target', 'Arn'))))
      .map((one) => readSchedule(reading, { place: one, name: one.name }, one.id, ['Target', 'Input'])),
  ];
}

/** SAM's types of events that run here. */
export const EVENT_TYPES: ReadonlySet<string> = new Set([
  'SQS',
  'Kinesis',
  'DynamoDB',
  'EventBridgeRule',
  'CloudWatchEvent',
  'Schedule',
  'ScheduleV2',
]);

function samEvents(reading: Reading, resource: TemplateResource): readonly DevTrigger[] {
  if (resource.type !== 'AWS::Serverless::Function') return [];
  const events = Object.entries(asMembers(resource.value['Events']) ?? {});
  return events.flatMap(([name, event]): readonly DevTrigger[] => {
    const place = placeIn(resource, ['Events', name, 'Properties'], ['Events', name]);
    const source = { place, name: `${resource.name}, event ${name}` };
    const id = `${resource.id}${name}`;
    switch (asText(member(event, 'Type')) ?? '') {
      case 'SQS':
        return readMapping(reading, source, id, 'Queue');
      case 'Kinesis':
      case 'DynamoDB':
        return readMapping(reading, source, id, 'Stream');
      case 'EventBridgeRule':
      case 'CloudWatchEvent':
        return [readSamRule(reading, source, id)];
      case 'Schedule':
        return [readSamSchedule(reading, source, id)];
      case 'ScheduleV2':
        return [readSchedule(reading, source, id, ['Input'])];
      default:
        return [];
    }
  });
}

/** Whether a text names the function, by its name or its ARN, of any version. */
function namesOf(reading: Reading, { id }: TemplateResource): (text: string | undefined) => boolean {
  const [name, arn] = [reading.names.nameOf(id), reading.names.attribute(id, 'Arn')];
  return (text) => text !== undefined && (text === name || text === arn || text.startsWith(`${arn}:`));
}
