import { isPermanent } from '../attempts/errors.ts';
import { keyMaker } from '../keys/key-string.ts';
import { readPayloads } from '../sources/decode-step.ts';
import type { SourceBatch } from '../sources/source.ts';
import type { BatchContext, BatchReading, Settings } from './context.ts';
import { takeDefaultNamespace } from './default-namespaces.ts';
import type { Processor } from './open-context.ts';
import { keyed, type KeyedRecord } from './plan.ts';

/** The namespace outside Lambda, where there is no function name. */
const LOCAL_NAMESPACE = 'local';

/** Reads the records of a batch, and gives each its key. Most events have nothing to decode, and wait for nothing. */
export function readRecords(
  batch: SourceBatch,
  context: BatchContext,
  processor: Processor,
): readonly KeyedRecord[] | Promise<readonly KeyedRecord[]> {
  const { settings, lambda, time } = context;
  const { concurrency, decode, payloadValidation } = settings;
  const name = lambda?.functionName ?? processor.functionName ?? LOCAL_NAMESPACE;
  const namespace = namespaceOf(name, processor);
  const keying = {
    keyOf: keyMaker(settings.key, namespace),
    payloadHashOf: payloadValidation,
    readsBody:
      settings.key.effort !== 'none' || typeof namespace === 'function' || payloadValidation !== undefined,
  };
  const { stop } = time.deadline;
  const reading: BatchReading = {
    delivered: batch.entries,
    namespace: typeof namespace === 'string' ? namespace : name,
    read: (some) => readPayloads(some, decode, { concurrency, stop, isPermanent }),
    key: (source, index) => keyed(source, index, keying),
  };
  const inOwnOrder = settings.reading?.read(reading, context);
  if (inOwnOrder !== undefined) return inOwnOrder;
  const read = reading.read(batch.entries);
  return read instanceof Promise ? read.then((some) => some.map(reading.key)) : read.map(reading.key);
}

function namespaceOf(name: string, processor: Processor): NonNullable<Settings['namespace']> {
  const { settings, givenStore } = processor;
  if (settings.namespace !== undefined) return settings.namespace;
  if (!hasOwnKeys(settings)) takeDefaultNamespace(givenStore, name, processor);
  return name;
}

/** Known by an id that only this queue's messages have, or by a key that says itself whose it is. */
function hasOwnKeys({ key, decode }: Settings): boolean {
  if (key.isWholeKey === true) return true;
  return key.isMessageId === true && decode.every(({ kind }) => kind !== 'envelope');
}
