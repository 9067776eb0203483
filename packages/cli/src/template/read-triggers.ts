import type { Setting, Subscriber } from './model.ts';
import { QUEUE_TYPES, type TemplateResource, type TemplateResources } from './resources.ts';
import { jsonSetting, type Place, placeIn, setting } from './settings.ts';
import type { Notification, Rule, Schedule, TemplateTrigger } from './template-model.ts';
import { asBoolean, asList, asMembers, asNumber, asText, member, type Value, whyUnknown } from './values.ts';

/** The notifications of a bucket as the CDK sets them, by a custom resource with the names of S3's API. */
const CDK_NOTIFICATIONS = 'Custom::S3BucketNotifications';

/** Reads the sources that invoke functions asynchronously, and other targets of rules and schedules. */
export function readTriggers(resources: TemplateResources): readonly TemplateTrigger[] {
  return [
    ...resources.ofType('AWS::Serverless::Function').flatMap((lambda) => samTriggers(lambda, resources)),
    ...resources.ofType('AWS::Events::Rule').flatMap((rule) => ruleTargets(rule, resources)),
    ...resources.ofType('AWS::SNS::Subscription').flatMap((one) => subscription(one, resources)),
    ...resources.ofType('AWS::S3::Bucket', CDK_NOTIFICATIONS).flatMap((one) => notifications(one, resources)),
    ...resources.ofType('AWS::Scheduler::Schedule').map((one) => schedule(one, resources)),
  ];
}

export function readSubscribers(resources: TemplateResources): readonly Subscriber[] {
  return resources.ofType('AWS::EventsV2::Subscriber').flatMap((resource) => {
    const target = resources.findFunction(member(resource.value, 'InvokeConfiguration', 'TargetArn'));
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

/** A rule, a schedule or a function's event, with one of its targets. */
interface Source extends Pick<TemplateResource, 'id' | 'name' | 'line' | 'ignore'> {
  readonly logicalId: string;
  readonly place: Place;
  readonly target: Place;
  readonly functionId: string | undefined;
  readonly queueId?: string | undefined;
}

function samTriggers(lambda: TemplateResource, resources: TemplateResources): readonly TemplateTrigger[] {
  return Object.entries(asMembers(lambda.value['Events']) ?? {}).flatMap(
    ([name, event]): readonly TemplateTrigger[] => {
      const place = placeIn(lambda, ['Events', name, 'Properties'], ['Events', name]);
      const queue = place.value['SqsSubscription'];
      if (queue !== undefined && asBoolean(queue) !== false) {
        resources.skipped.push(
          `${lambda.name}, event ${name}: SAM makes its queue, which only the expanded template has`,
        );
        return [];
      }
      const source = {
        id: `${lambda.id}.${name}`,
        logicalId: `${lambda.id}${name}`,
        name: `${lambda.name}, event ${name}`,
        line: place.line,
        ignore: lambda.ignore,
        place,
        target: place,
        functionId: lambda.id,
      };
      switch (asText(member(event, 'Type')) ?? '') {
        case 'EventBridgeRule':
        case 'CloudWatchEvent':
          return [ruleOf(source, 'Pattern')];
        case 'Schedule':
          return [scheduleOf(source, 'events', 'Schedule')];
        case 'ScheduleV2':
          return [scheduleOf(source, 'scheduler', 'ScheduleExpression')];
        case 'SNS':
          return [notification(source, 'SNS', place.value['RedrivePolicy'])];
        case 'S3':
          return [notification(source, 'S3', undefined)];
        default:
          return [];
      }
    },
  );
}

function ruleTargets(rule: TemplateResource, resources: TemplateResources): readonly TemplateTrigger[] {
  return asList(rule.value['Targets']).flatMap((target, index) => {
    const place = placeIn({ ...rule, value: { Target: target } }, ['Target'], ['Targets']);
    const suffix = index === 0 ? '' : `.${asText(member(target, 'Id')) ?? index}`;
    const source = { ...targetIn(rule, place, resources), logicalId: `${rule.id}${suffix}` };
    const hasPattern = rule.value['EventPattern'] !== undefined;
    return [
      ...(hasPattern ? [ruleOf(source, 'EventPattern')] : []),
      ...(!hasPattern || rule.value['ScheduleExpression'] !== undefined
        ? [scheduleOf(source, 'events', 'ScheduleExpression')]
        : []),
    ];
  });
}

function schedule(resource: TemplateResource, resources: TemplateResources): Schedule {
  const target = placeIn(resource, ['Target']);
  return scheduleOf(targetIn(resource, target, resources), 'scheduler', 'ScheduleExpression');
}

function targetIn(resource: TemplateResource, target: Place, resources: TemplateResources): Source {
  const { id, name, line, ignore } = resource;
  noteUnknown(`${name}, its target`, target.value['Arn'], resources);
  const functionId = resources.findFunction(target.value['Arn'])?.id;
  const queueId = resources.find(target.value['Arn'], QUEUE_TYPES)?.id;
  return { id, name, line, ignore, logicalId: id, place: resource, target, functionId, queueId };
}

function ruleOf(source: Source, pattern: string): Rule {
  return {
    ...settingsOf(source),
    kind: 'EventBridge',
    bus: setting(source.place, ['EventBusName'], asText, 'default'),
    pattern: jsonSetting(source.place, [pattern], null),
  };
}

function scheduleOf(source: Source, service: Schedule['service'], expression: string): Schedule {
  const { place } = source;
  return {
    ...settingsOf(source),
    kind: 'Schedule',
    service,
    expression: setting(place, [expression], asText),
    timeZone: setting(place, ['ScheduleExpressionTimezone'], asText),
    group: setting(place, ['GroupName'], asText, 'default'),
  };
}

function settingsOf({ place, target, queueId, ...source }: Source): Omit<Rule, 'kind' | 'bus' | 'pattern'> {
  const { id, name, line, ignore, functionId, logicalId } = source;
  return {
    id,
    name,
    line,
    ignore,
    functionId,
    logicalId,
    queueId,
    targetArn: setting(target, ['Arn'], asText),
    messageGroupId: setting(target, ['SqsParameters', 'MessageGroupId'], asText),
    input: setting(target, ['Input'], asText),
    isTransformed: target.value['InputPath'] !== undefined || target.value['InputTransformer'] !== undefined,
    isOn:
      asText(place.value['State'])?.toUpperCase() !== 'DISABLED' &&
      (asBoolean(place.value['Enabled']) ?? true),
    ruleName: setting(place, ['Name'], asText, logicalId),
    keepsUndelivered: keeps(target.value['DeadLetterConfig'], line),
  };
}

/** Lists what has an unknown ARN among what cannot be read. */
function noteUnknown(what: string, arn: Value, resources: TemplateResources): void {
  const why = whyUnknown(arn);
  if (why !== undefined) resources.skipped.push(`${what}: ${why}`);
}

function subscription(one: TemplateResource, resources: TemplateResources): readonly Notification[] {
  if (asText(one.value['Protocol']) === 'lambda') {
    noteUnknown(`${one.name}, its endpoint`, one.value['Endpoint'], resources);
  }
  const lambda = resources.findFunction(one.value['Endpoint']);
  if (lambda === undefined) return [];
  return [notification({ ...one, functionId: lambda.id }, 'SNS', one.value['RedrivePolicy'])];
}

function notifications(bucket: TemplateResource, resources: TemplateResources): readonly Notification[] {
  const [list, target] =
    bucket.type === CDK_NOTIFICATIONS
      ? ['LambdaFunctionConfigurations', 'LambdaFunctionArn']
      : ['LambdaConfigurations', 'Function'];
  return asList(member(bucket.value, 'NotificationConfiguration', list)).flatMap((one) => {
    const lambda = resources.findFunction(member(one, target));
    return lambda === undefined ? [] : [notification({ ...bucket, functionId: lambda.id }, 'S3', undefined)];
  });
}

function notification(
  { id, name, line, ignore, functionId }: Pick<Source, 'id' | 'name' | 'line' | 'ignore' | 'functionId'>,
  kind: Notification['kind'],
  deadLetters: Value,
): Notification {
  return { id, name, line, ignore, kind, functionId, keepsUndelivered: keeps(deadLetters, line) };
}

function keeps(deadLetters: Value, line: number | undefined): Setting<boolean> {
  return { value: deadLetters !== undefined && deadLetters !== null, line };
}
