import { checkPattern } from '../patterns/matches.ts';
import { readSchedule } from '../events/schedule-expression.ts';
import { localArn, nameInArn } from '../places.ts';
import type { Rule, Schedule, TemplateModel } from '../../template/template-model.ts';
import type { RuleTrigger, ScheduleTrigger } from '../stack.ts';
import { neededOf, type Reading, templateError, valueOf } from './reading.ts';

/** Returns the template's rules and schedules, one for each target. */
export function targetsIn({ triggers }: TemplateModel): readonly (Rule | Schedule)[] {
  return triggers.filter(({ kind }) => kind === 'EventBridge' || kind === 'Schedule') as (Rule | Schedule)[];
}

/** Returns the trigger of a rule or schedule for its target. Throws for what AWS would refuse. */
export function stackRule(reading: Reading, rule: Rule | Schedule): RuleTrigger | ScheduleTrigger {
  const isOfScheduler = rule.kind === 'Schedule' && rule.service === 'scheduler';
  if (rule.isTransformed && !isOfScheduler) {
    reading.notes.add(
      `${rule.name} gets the whole event: its InputPath or InputTransformer is not applied here.`,
    );
  }
  const common = {
    id: rule.logicalId,
    input: valueOf(reading, rule, rule.input),
    isEnabled: rule.isOn,
  };
  return rule.kind === 'EventBridge'
    ? { kind: 'rule', ...common, bus: busOf(reading, rule), pattern: patternOf(reading, rule) }
    : { kind: 'schedule', ...common, ...timesOf(reading, rule) };
}

function busOf(reading: Reading, rule: Rule): string {
  return nameInArn(valueOf(reading, rule, rule.bus) ?? '');
}

function patternOf(reading: Reading, rule: Rule): unknown {
  const pattern = valueOf(reading, rule, rule.pattern);
  const why = checkPattern(pattern);
  if (why === undefined) return pattern;
  const { property = '', line } = rule.pattern;
  throw templateError(reading, line, `\`${property}\` of ${rule.name} is refused: ${why}`);
}

function timesOf(
  reading: Reading,
  schedule: Schedule,
): Pick<ScheduleTrigger, 'arn' | 'service' | 'expression' | 'timeZone'> {
  const { name, service } = schedule;
  const expression = neededOf(reading, schedule, schedule.expression);
  const timeZone = valueOf(reading, schedule, schedule.timeZone);
  try {
    readSchedule({ expression, service, timeZone }, 0);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be read';
    throw templateError(reading, schedule.expression.line, `${name}: ${why}`);
  }
  const own = valueOf(reading, schedule, schedule.ruleName) ?? '';
  const group = valueOf(reading, schedule, schedule.group) ?? '';
  const arn = localArn(service, service === 'events' ? `rule/${own}` : `schedule/${group}/${own}`);
  return { arn, service, expression, timeZone };
}
