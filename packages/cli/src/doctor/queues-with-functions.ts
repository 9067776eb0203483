import type { LambdaFunction, Mapping, Queue } from '../template/model.ts';
import type { Examination } from './examination.ts';

/** A queue, the mapping that polls it, and the function that receives its messages. */
export interface WiredQueue {
  readonly queue: Queue;
  readonly mapping: Mapping;
  readonly lambda: LambdaFunction;
}

export function wiredQueues(examination: Examination): readonly WiredQueue[] {
  return examination.model.mappings.flatMap((mapping) => {
    const queue = queueOf(examination, mapping);
    const lambda = examination.functionOf(mapping);
    if (queue === undefined) return [];
    if (lambda !== undefined) return [{ queue, mapping, lambda }];
    examination.cannotJudge(`${mapping.name}: its function is not here, so it is not judged`);
    return [];
  });
}

/** Returns the queues that mappings poll. */
export function sourceQueues(examination: Examination): ReadonlySet<Queue> {
  const queues = examination.model.mappings.map((mapping) => queueOf(examination, mapping));
  return new Set(queues.filter((queue) => queue !== undefined));
}

/** Returns whether the environment has the queue's URL, which is also the value of its `Ref`. */
export function knowsUrl({ environment }: LambdaFunction, { id, arnTails }: Queue): boolean {
  const names = new Set([`<${id}>`, `<${id}.QueueUrl>`]);
  return [...(environment.value?.values() ?? [])].some(
    (value) =>
      names.has(value) || (/^https?:/.test(value) && arnTails.includes(value.split('/').at(-1) ?? '')),
  );
}

function queueOf(examination: Examination, mapping: Mapping): Queue | undefined {
  if (mapping.kind !== 'sqs') return undefined;
  const queue = examination.queue(mapping.source.value);
  if (queue === undefined) examination.known(mapping, 'its queue', mapping.source);
  return queue;
}
