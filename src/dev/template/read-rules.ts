import { nameInArn } from '../places.ts';
import { checkPattern } from '../patterns/matches.ts';
import type { RuleTrigger, ScheduleTrigger } from '../stack.ts';
import { type Place, placeIn, type TemplateResource } from '../../template/resources.ts';
import { asList, asText, member } from '../../template/values.ts';
import { plainOf, type Reading, type Source, templateError, textOf } from './reading.ts';
import { readRuleSchedule } from './read-schedules.ts';
import { inputOf, isOn } from './target-settings.ts';

/** SAM's `EventBridgeRule`, once `CloudWatchEvent`. */
export function readSamRule(reading: Reading, source: Source, id: string): RuleTrigger {
  return rule(reading, source, { id, pattern: 'Pattern', target: source.place });
}

/** A rule's or a schedule's target, and what it triggers. */
export interface TargetTrigger {
  readonly target: Place;
  readonly trigger: RuleTrigger | ScheduleTrigger;
}

/** The triggers that an `AWS::Events::Rule` makes of its targets with one of these ARNs. */
export function readRuleTargets(
  reading: Reading,
  resource: TemplateResource,
  isWanted: (arn: string | undefined) => boolean,
): readonly TargetTrigger[] {
  const source = { place: resource, name: resource.name };
  return asList(resource.value['Targets']).flatMap((target, index) => {
    if (!isWanted(asText(member(target, 'Arn')))) return [];
    const place = placeIn({ ...resource, value: { Target: target } }, ['Target'], ['Targets']);
    const id = index === 0 ? resource.id : `${resource.id}.${asText(member(target, 'Id')) ?? String(index)}`;
    const made: TargetTrigger['trigger'][] = [];
    if (resource.value['EventPattern'] !== undefined) {
      made.push(rule(reading, source, { id, pattern: 'EventPattern', target: place }));
    }
    if (resource.value['ScheduleExpression'] !== undefined) {
      made.push(readRuleSchedule(reading, source, id, place));
    }
    return made.map((trigger) => ({ target: place, trigger }));
  });
}

function rule(
  reading: Reading,
  source: Source,
  { id, pattern: property, target }: { id: string; pattern: string; target: Place },
): RuleTrigger {
  const { place, name } = source;
  const pattern = plainOf(reading, source, [property], place.value[property] ?? null);
  const why = checkPattern(pattern);
  if (why !== undefined) {
    throw templateError(reading, place.lineOf([property]), `\`${property}\` of ${name} is refused: ${why}`);
  }
  return {
    kind: 'rule',
    id,
    bus: nameInArn(textOf(reading, source, ['EventBusName'], 'default')),
    pattern,
    input: inputOf(reading, source, target),
    isEnabled: isOn(source),
  };
}
