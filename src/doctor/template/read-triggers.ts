import type { Subscriber, Trigger } from '../model.ts';
import type { Setting } from '../../template/facts.ts';
import { findFunction } from './read-functions.ts';
import {
  type Place,
  placeIn,
  setting,
  type TemplateResource,
  type TemplateResources,
} from '../../template/resources.ts';
import { asList, asMembers, asNumber, asText, member, type Value } from '../../template/values.ts';

/** SAM's types of events that invoke asynchronously. */
const SAM_EVENTS: Readonly<Record<string, { readonly kind: Trigger['kind']; readonly deadLetters: string }>> =
  {
    EventBridgeRule: { kind: 'EventBridge', deadLetters: 'DeadLetterConfig' },
    CloudWatchEvent: { kind: 'EventBridge', deadLetters: 'DeadLetterConfig' },
    Schedule: { kind: 'Schedule', deadLetters: 'DeadLetterConfig' },
    ScheduleV2: { kind: 'Schedule', deadLetters: 'DeadLetterConfig' },
    SNS: { kind: 'SNS', deadLetters: 'RedrivePolicy' },
    S3: { kind: 'S3', deadLetters: '' },
  };

/** Everything that invokes a function of the template asynchronously. */
export function readTriggers(resources: TemplateResources): readonly Trigger[] {
  return [
    ...resources.ofType('AWS::Serverless::Function').flatMap((lambda) => samTriggers(lambda, resources)),
    ...resources.ofType('AWS::Events::Rule').flatMap((rule) => ruleTriggers(rule, resources)),
    ...resources.ofType('AWS::SNS::Subscription').flatMap((one) => subscriptionTriggers(one, resources)),
    ...resources.ofType('AWS::S3::Bucket').flatMap((bucket) => bucketTriggers(bucket, resources)),
    ...resources.ofType('AWS::Scheduler::Schedule').flatMap((one) => scheduleTriggers(one, resources)),
  ];
}

export function readSubscribers(resources: TemplateResources): readonly Subscriber[] {
  return resources.ofType('AWS::EventsV2::Subscriber').flatMap((resource) => {
    const target = findFunction(member(resource.value, 'InvokeConfiguration', 'TargetArn'), resources);
    if (target === undefined) return [];
    const { id, name, line, ignore } = resource;
    const parameters = placeIn(resource, ['InvokeConfiguration', 'LambdaParameters']);
    return [
      {
        id,
        name,
        line,
        ignore,
        functionId: target.id,
        invocationType: setting(parameters, ['InvocationType'], asText, 'REQUEST_RESPONSE'),
        timeoutSeconds: setting(parameters, ['InvocationTimeoutSeconds'], asNumber, 30),
        keepsFailures: { ...setting(resource, ['OnFailureConfiguration', 'Arn'], () => true, false), line },
      },
    ];
  });
}

function samTriggers(lambda: TemplateResource, resources: TemplateResources): readonly Trigger[] {
  return Object.entries(asMembers(lambda.value['Events']) ?? {}).flatMap(([name, event]) => {
    const type = asText(member(event, 'Type')) ?? '';
    const known = Object.hasOwn(SAM_EVENTS, type) ? SAM_EVENTS[type] : undefined;
    if (known === undefined) return [];
    const place = placeIn(lambda, ['Events', name, 'Properties'], ['Events', name]);
    if (place.value['SqsSubscription'] !== undefined) {
      resources.skipped.push(
        `${lambda.name}, event ${name}: SAM makes its queue; give doctor the expanded template`,
      );
      return [];
    }
    return [
      {
        id: `${lambda.id}.${name}`,
        name: `${lambda.name}, event ${name}`,
        line: place.line,
        ignore: lambda.ignore,
        kind: known.kind,
        functionId: lambda.id,
        keepsUndelivered: keeps(known.deadLetters === '' ? undefined : place.value[known.deadLetters], place),
      },
    ];
  });
}

function ruleTriggers(rule: TemplateResource, resources: TemplateResources): readonly Trigger[] {
  const kind = rule.value['EventPattern'] === undefined ? 'Schedule' : 'EventBridge';
  return asList(rule.value['Targets']).flatMap((target) => {
    const lambda = findFunction(member(target, 'Arn'), resources);
    return lambda === undefined ? [] : [trigger(rule, kind, lambda, member(target, 'DeadLetterConfig'))];
  });
}

function subscriptionTriggers(one: TemplateResource, resources: TemplateResources): readonly Trigger[] {
  const lambda = findFunction(one.value['Endpoint'], resources);
  return lambda === undefined ? [] : [trigger(one, 'SNS', lambda, one.value['RedrivePolicy'])];
}

function bucketTriggers(bucket: TemplateResource, resources: TemplateResources): readonly Trigger[] {
  return asList(member(bucket.value, 'NotificationConfiguration', 'LambdaConfigurations')).flatMap((one) => {
    const lambda = findFunction(member(one, 'Function'), resources);
    return lambda === undefined ? [] : [trigger(bucket, 'S3', lambda, undefined)];
  });
}

function scheduleTriggers(schedule: TemplateResource, resources: TemplateResources): readonly Trigger[] {
  const lambda = findFunction(member(schedule.value, 'Target', 'Arn'), resources);
  const deadLetters = member(schedule.value, 'Target', 'DeadLetterConfig');
  return lambda === undefined ? [] : [trigger(schedule, 'Schedule', lambda, deadLetters)];
}

function trigger(
  resource: TemplateResource,
  kind: Trigger['kind'],
  lambda: TemplateResource,
  deadLetters: Value,
): Trigger {
  const { id, name, line, ignore } = resource;
  return {
    id,
    name,
    line,
    ignore,
    kind,
    functionId: lambda.id,
    keepsUndelivered: keeps(deadLetters, resource),
  };
}

function keeps(deadLetters: Value, { line }: Place): Setting<boolean> {
  return { value: deadLetters !== undefined && deadLetters !== null, line };
}
