import type { Clock } from '../../tool-base/clock.ts';
import type { Invoke } from '../invoke-result.ts';
import type { Places } from '../places.ts';
import { sendToQueues } from '../services/send-message.ts';
import type { DevFunction, DevStack, StreamTrigger } from '../stack.ts';
import type { DiscardedBatch } from './stream-attempts.ts';
import { dynamodbSource } from './stream-dynamodb.ts';
import { kinesisSource } from './stream-kinesis.ts';
import { type EndedStreamBatch, startStreamMapping } from './stream-mapping.ts';

export interface StreamMappingsOptions {
  readonly stack: DevStack;
  readonly places: Places;
  readonly clock: Clock;
  readonly invoke: Invoke;
  /** The checkpoints of each mapping, by id. Keep the map across reloads, so that no record comes again. */
  readonly checkpoints?: Map<string, Map<string, string>>;
  readonly onBatch?: (functionId: string, trigger: StreamTrigger, batch: EndedStreamBatch) => void;
  readonly onDiscarded?: (functionId: string, trigger: StreamTrigger, discarded: DiscardedBatch) => void;
  readonly onTrouble?: (functionId: string, trigger: StreamTrigger, error: unknown) => void;
}

/** Polls every stream that a function reads. `stop` resolves when the invocations in flight have ended. */
export function startStreamMappings(options: StreamMappingsOptions): { stop(): Promise<void> } {
  const mappings = options.stack.functions.flatMap((fn) =>
    fn.triggers.flatMap((trigger) =>
      trigger.kind === 'kinesis' || trigger.kind === 'dynamodb' ? [start(options, fn, trigger)] : [],
    ),
  );
  return {
    async stop() {
      await Promise.all(mappings.map((mapping) => mapping.stop()));
    },
  };
}

function start(
  options: StreamMappingsOptions,
  fn: DevFunction,
  trigger: StreamTrigger,
): { stop(): Promise<void> } {
  const { places, clock, invoke, checkpoints = new Map<string, Map<string, string>>() } = options;
  const ofMapping = checkpoints.get(trigger.id) ?? new Map<string, string>();
  checkpoints.set(trigger.id, ofMapping);
  const source = trigger.kind === 'kinesis' ? kinesisSource : dynamodbSource;
  return startStreamMapping({
    trigger,
    fn,
    source: source(places, trigger.streamArn),
    clock,
    invoke: (event) => invoke(fn.id, event),
    send: sendToQueues(places),
    checkpoints: ofMapping,
    onBatch: (batch) => options.onBatch?.(fn.id, trigger, batch),
    onDiscarded: (discarded) => options.onDiscarded?.(fn.id, trigger, discarded),
    onTrouble: (error) => options.onTrouble?.(fn.id, trigger, error),
  });
}
