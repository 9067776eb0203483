import type { Destination, Resource, Setting } from '../../template/model.ts';
import type { TemplateFunction } from '../../template/template-model.ts';
import type { AsynchronousInvocation } from '../stack.ts';
import { type Reading, valueOf, whyNotTold } from './reading.ts';

/** Returns the settings of a function's asynchronous invocations. */
export function asynchronousOf(reading: Reading, fn: TemplateFunction): AsynchronousInvocation {
  const { retries, onFailure, deadLetterQueue, isOneOfSeveral = false } = fn.asynchronous;
  if (isOneOfSeveral) {
    reading.notes.add(
      `${fn.name} has several EventInvokeConfigs, for its aliases or versions: ` +
        'here only its own applies, or the first.',
    );
  }
  if (fn.hasSuccessDestination) {
    reading.notes.add(`The OnSuccess destination of ${fn.name} gets nothing here.`);
  }
  return {
    maximumRetries: valueOf(reading, fn, retries) ?? 0,
    maximumAgeMs: (valueOf(reading, fn, fn.maximumAgeSeconds) ?? 0) * 1_000,
    onFailure: localQueue(reading, fn, onFailure),
    deadLetterQueue: localQueue(reading, fn, deadLetterQueue),
  };
}

/** Returns a destination's ARN if it is a queue of this template; else adds a note. */
export function localQueue(
  reading: Reading,
  resource: Pick<Resource, 'name'>,
  setting: Setting<Destination>,
): string | undefined {
  const destination = valueOf(reading, resource, setting);
  if (destination === undefined) return undefined;
  if (destination.queueId !== undefined) return reading.names.attribute(destination.queueId, 'Arn');
  const why = whyNotTold(destination.arn);
  if (why !== undefined) {
    reading.notes.add(`Failures of ${resource.name} are not sent to their queue: ${why}.`);
    return undefined;
  }
  const arn = valueOf(reading, resource, destination.arn) ?? '';
  const where = arn === '' ? 'a queue that SAM makes' : `${arn}, which is not a queue of this template`;
  reading.notes.add(`Failures of ${resource.name} are not sent to ${where}.`);
  return undefined;
}
