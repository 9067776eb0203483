import { placeIn, type TemplateResource } from '../../template/resources.ts';
import { asList, asText, member } from '../../template/values.ts';
import type { QueueTarget } from '../stack.ts';
import { FUNCTION_TYPES, QUEUE_TYPES, type Reading, templateError, textOf, withArn } from './reading.ts';
import { readRuleTargets, type TargetTrigger } from './read-rules.ts';
import { readSchedule } from './read-schedules.ts';

/**
 * The queues of the template that its rules and schedules send to. Other targets than queues and functions
 * are notes.
 */
export function readQueueTargets(reading: Reading): readonly QueueTarget[] {
  const isQueue = (arn: string | undefined): boolean =>
    arn !== undefined && withArn(reading, arn, QUEUE_TYPES) !== undefined;
  const rules = reading.resources.ofType('AWS::Events::Rule');
  const schedules = reading.resources.ofType('AWS::Scheduler::Schedule');
  for (const rule of rules) noteOtherTargets(reading, rule, asList(rule.value['Targets']));
  for (const schedule of schedules) noteOtherTargets(reading, schedule, [schedule.value['Target']]);
  return [
    ...rules.flatMap((rule) =>
      readRuleTargets(reading, rule, isQueue).map((one) => queueTarget(reading, rule, one)),
    ),
    ...schedules
      .filter(({ value }) => isQueue(asText(member(value, 'Target', 'Arn'))))
      .map((schedule) => {
        const source = { place: schedule, name: schedule.name };
        const trigger = readSchedule(reading, source, schedule.id, ['Target', 'Input']);
        return queueTarget(reading, schedule, { target: placeIn(schedule, ['Target'], ['Target']), trigger });
      }),
  ];
}

function queueTarget(
  reading: Reading,
  { name }: TemplateResource,
  { target, trigger }: TargetTrigger,
): QueueTarget {
  const source = { place: target, name };
  const queueArn = textOf(reading, source, ['Arn'], '');
  const messageGroupId = textOf(reading, source, ['SqsParameters', 'MessageGroupId']);
  if (queueArn.endsWith('.fifo') && messageGroupId === undefined) {
    const what = `${name} sends to a FIFO queue, so its target needs \`SqsParameters.MessageGroupId\``;
    throw templateError(reading, target.line, what);
  }
  return { queueArn, messageGroupId, trigger };
}

function noteOtherTargets(
  reading: Reading,
  { name }: TemplateResource,
  targets: readonly ReturnType<typeof member>[],
): void {
  for (const target of targets) {
    const arn = asText(member(target, 'Arn'));
    if (arn !== undefined && isOfFunctionOrQueue(reading, arn)) continue;
    const what = arn ?? 'its target';
    reading.notes.add(`${name} does not run here: ${what} is no function or queue of this template.`);
  }
}

function isOfFunctionOrQueue(reading: Reading, arn: string): boolean {
  if (withArn(reading, arn, [...QUEUE_TYPES, ...FUNCTION_TYPES]) !== undefined) return true;
  // Of a version or an alias.
  const [base = ''] = /^arn:[^:]*:lambda:[^:]*:[^:]*:function:[^:]+/.exec(arn) ?? [];
  return withArn(reading, base, FUNCTION_TYPES) !== undefined;
}
