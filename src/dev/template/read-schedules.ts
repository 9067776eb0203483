import { localArn } from '../places.ts';
import type { ScheduleTrigger } from '../stack.ts';
import type { Place } from '../../template/resources.ts';
import { readSchedule as checkSchedule } from '../events/schedule-expression.ts';
import { neededText, type Reading, type Source, templateError, textOf } from './reading.ts';
import { inputOf, isOn } from './target-settings.ts';

/** SAM's `Schedule`, which makes a rule. */
export function readSamSchedule(reading: Reading, source: Source, id: string): ScheduleTrigger {
  const expression = expressionOf(reading, source, 'Schedule');
  return onRule(reading, source, { id, expression, target: source.place });
}

/** The schedule of an `AWS::Events::Rule`. */
export function readRuleSchedule(
  reading: Reading,
  source: Source,
  id: string,
  target: Place,
): ScheduleTrigger {
  const expression = expressionOf(reading, source, 'ScheduleExpression');
  return onRule(reading, source, { id, expression, target });
}

/** A schedule of EventBridge Scheduler: SAM's `ScheduleV2`, or a resource of its own. */
export function readSchedule(
  reading: Reading,
  source: Source,
  id: string,
  input: readonly string[],
): ScheduleTrigger {
  const timeZone = textOf(reading, source, ['ScheduleExpressionTimezone']);
  const group = textOf(reading, source, ['GroupName'], 'default');
  return {
    kind: 'schedule',
    id,
    arn: localArn('scheduler', `schedule/${group}/${textOf(reading, source, ['Name'], id)}`),
    service: 'scheduler',
    expression: expressionOf(reading, source, 'ScheduleExpression', timeZone),
    timeZone,
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

/** What AWS would refuse is an error with its line, before anything runs. */
function expressionOf(reading: Reading, source: Source, property: string, timeZone?: string): string {
  const expression = neededText(reading, source, [property]);
  try {
    checkSchedule(expression, 0, timeZone);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be read';
    throw templateError(reading, source.place.lineOf([property]), `${source.name}: ${why}`);
  }
  return expression;
}
