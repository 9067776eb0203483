import type { Destination, Setting } from './model.ts';
import { QUEUE_TYPES, type TemplateResource, type TemplateResources } from './resources.ts';
import { type Place, placeIn, setting } from './settings.ts';
import type { TemplateFunction } from './template-model.ts';
import { asNumber, asText, member } from './values.ts';

/** https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html */
const DEFAULT_RETRIES = 2;
const DEFAULT_AGE_SECONDS = 21_600;

/** Reads a function's asynchronous settings: its own, or those of `AWS::Lambda::EventInvokeConfig`. */
export function readAsynchronous(
  resource: TemplateResource,
  resources: TemplateResources,
): Pick<TemplateFunction, 'asynchronous' | 'maximumAgeSeconds' | 'hasSuccessDestination'> {
  const apart = resources
    .ofType('AWS::Lambda::EventInvokeConfig')
    .filter(({ value }) => resources.findFunction(value['FunctionName'])?.id === resource.id);
  const own = placeIn(resource, ['EventInvokeConfig']);
  const hasOwn = resource.value['EventInvokeConfig'] !== undefined;
  const place = hasOwn ? own : (apart[0] ?? own);
  return {
    asynchronous: {
      retries: setting(place, ['MaximumRetryAttempts'], asNumber, DEFAULT_RETRIES),
      onFailure: readOnFailure(place, resources),
      deadLetterQueue: readDeadLetterQueue(resource, resources),
      isOneOfSeveral: apart.length + Number(hasOwn) > 1,
    },
    maximumAgeSeconds: setting(place, ['MaximumEventAgeInSeconds'], asNumber, DEFAULT_AGE_SECONDS),
    hasSuccessDestination: member(place.value, 'DestinationConfig', 'OnSuccess') !== undefined,
  };
}

/** Reads `DestinationConfig.OnFailure` of a function or a mapping. */
export function readOnFailure(place: Place, resources: TemplateResources): Setting<Destination> {
  const path = ['DestinationConfig', 'OnFailure'];
  return setting(place, path, () => destinationOf(place, [...path, 'Destination'], resources));
}

function readDeadLetterQueue(resource: TemplateResource, resources: TemplateResources): Setting<Destination> {
  const property = resource.value['DeadLetterQueue'] === undefined ? 'DeadLetterConfig' : 'DeadLetterQueue';
  return setting(resource, [property], () => destinationOf(resource, [property, 'TargetArn'], resources));
}

function destinationOf(place: Place, path: readonly string[], resources: TemplateResources): Destination {
  return {
    queueId: resources.find(member(place.value, ...path), QUEUE_TYPES)?.id,
    arn: setting(place, path, asText, ''),
  };
}
