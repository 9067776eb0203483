import { localArn } from '../places.ts';
import type { ScheduleTrigger } from '../stack.ts';
import type { Place } from '../../template/resources.ts';
import { neededText, type Reading, type Source, textOf } from './reading.ts';
import { inputOf, isOn } from './target-settings.ts';

/** SAM's `Schedule`, which makes a rule. */
export function readSamSchedule(reading: Reading, source: Source, id: string): ScheduleTrigger {
  const expression = neededText(reading, source, ['Schedule']);
  return onRule(reading, source, { id, expression, target: source.place });
}

/** The schedule of an `AWS::Events::Rule`. */
export function readRuleSchedule(
  reading: Reading,
  source: Source,
  id: string,
  target: Place,
): ScheduleTrigger {
  const expression = neededText(reading, source, ['ScheduleExpression']);
  return onRule(reading, source, { id, expression, target });
}

/** A schedule of EventBridge Scheduler: SAM's `ScheduleV2`, or a resource of its own. */
export function readSchedule(
  reading: Reading,
  source: Source,
  id: string,
  input: readonly string[],
): ScheduleTrigger {
  const group = textOf(reading, source, ['GroupName'], 'default');
  return {
    kind: 'schedule',
    id,
    arn: localArn('scheduler', `schedule/${group}/${textOf(reading, source, ['Name'], id)}`),
    service: 'scheduler',
    expression: neededText(reading, source, ['ScheduleExpression']),
    timeZone: textOf(reading, source, ['ScheduleExpressionTimezone']),
    input: textOf(reading, source, input),
    isEnabled: isOn(source),
  };
}

function onRule(
  reading: Reading,
  source: Source,
  { id, expression, target }: { id: string; expression: string; target: Place },
): ScheduleTrigger {
  return {
    kind: 'schedule',
    id,
    arn: localArn('events', `rule/${textOf(reading, source, ['Name'], id)}`),
    service: 'events',
    expression,
    timeZone: undefined,
    input: inputOf(reading, source, target),
    isEnabled: isOn(source),
  };
}
