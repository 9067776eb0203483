import type { AsynchronousInvocation } from '../stack.ts';
import { type Place, placeIn, type TemplateResource } from '../../template/resources.ts';
import { asText, member } from '../../template/values.ts';
import { numberOf, QUEUE_TYPES, type Reading, type Source, textOf, withArn } from './reading.ts';

const DEFAULT_RETRIES = 2;
const DEFAULT_AGE_SECONDS = 21_600;

/** `EventInvokeConfig` and the dead-letter queue of SAM's functions, and the resources that plain ones have for them. */
export function readAsynchronous(reading: Reading, resource: TemplateResource): AsynchronousInvocation {
  const place = invokeConfigOf(reading, resource);
  const source = { place, name: resource.name };
  const letters = { place: resource, name: resource.name };
  if (member(place.value, 'DestinationConfig', 'OnSuccess') !== undefined) {
    reading.notes.add(`The OnSuccess destination of ${resource.name} gets nothing here.`);
  }
  const deadLetters =
    textOf(reading, letters, ['DeadLetterQueue', 'TargetArn']) ??
    textOf(reading, letters, ['DeadLetterConfig', 'TargetArn']);
  return {
    maximumRetries: numberOf(reading, source, ['MaximumRetryAttempts'], DEFAULT_RETRIES),
    maximumAgeMs: numberOf(reading, source, ['MaximumEventAgeInSeconds'], DEFAULT_AGE_SECONDS) * 1_000,
    onFailure: onFailureQueue(reading, source),
    deadLetterQueue: localQueue(reading, deadLetters, `What ${resource.name} fails to do`),
  };
}

/** The queue of `DestinationConfig.OnFailure`. */
export function onFailureQueue(reading: Reading, source: Source): string | undefined {
  if (member(source.place.value, 'DestinationConfig', 'OnFailure') === undefined) return undefined;
  const arn = textOf(reading, source, ['DestinationConfig', 'OnFailure', 'Destination'], '');
  return localQueue(reading, arn, `What ${source.name} fails to do`);
}

/** The ARN if it is that of a queue of this template; else a note. */
function localQueue(reading: Reading, arn: string | undefined, what: string): string | undefined {
  if (arn === undefined) return undefined;
  if (withArn(reading, arn, QUEUE_TYPES) !== undefined) return arn;
  const where = arn === '' ? 'a queue that SAM makes' : `${arn}, which is no queue of this template`;
  reading.notes.add(`${what} is not sent to ${where}.`);
  return undefined;
}

function invokeConfigOf(reading: Reading, resource: TemplateResource): Place {
  if (resource.value['EventInvokeConfig'] !== undefined) return placeIn(resource, ['EventInvokeConfig']);
  const names = new Set(['Ref', 'Arn'].map((attribute) => reading.names.attribute(resource.id, attribute)));
  const config = reading.resources
    .ofType('AWS::Lambda::EventInvokeConfig')
    .find(({ value }) => names.has(asText(value['FunctionName']) ?? ''));
  return config ?? { value: {}, line: resource.line, lineOf: () => resource.line };
}
