import type { Context } from 'aws-lambda';
import type { ClaimStore } from '../claims/claim-store.ts';
import { ConfigurationError } from '../base/errors.ts';
import { placeOf, shared } from '../claims/pass-on.ts';
import { isPermanent } from '../attempts/errors.ts';
import { keyMaker } from '../keys/key-string.ts';
import { readPayloads } from '../sources/decode-step.ts';
import type { BatchContext, Settings } from './context.ts';
import type { Processor } from './open-context.ts';
import { type BatchReading, keyed, type KeyedRecord } from './plan.ts';

/** The namespace outside Lambda, where there is no function name. */
const LOCAL_NAMESPACE = 'local';

/** Reads the records of a batch and gives each its key. Synchronous if nothing has to be decoded. */
export function readRecords(
  context: BatchContext,
  processor: Processor,
): readonly KeyedRecord[] | Promise<readonly KeyedRecord[]> {
  const { settings, lambda, time } = context;
  const { delivered } = context.ledger;
  const { concurrency, decode, payloadValidation } = settings;
  const name = nameOf(lambda, processor);
  const { namespace = name } = settings;
  const keying = {
    keyOf: keyMaker(settings.key, namespace),
    payloadHashOf: payloadValidation,
    routeOf: settings.routing?.open(context, namespace),
    readsBody:
      settings.routing !== undefined ||
      settings.key.effort !== 'none' ||
      typeof namespace === 'function' ||
      payloadValidation !== undefined,
  };
  const { stop } = time.deadline;
  const reading: BatchReading = {
    delivered,
    namespace: typeof namespace === 'string' ? namespace : name,
    read: (some) => readPayloads(some, decode, { concurrency, stop, isPermanent }),
    key: (source, index) => keyed(source, index, keying),
  };
  const inOwnOrder = settings.reading?.read(reading, context);
  if (inOwnOrder !== undefined) return inOwnOrder;
  const read = reading.read(delivered);
  return read instanceof Promise ? read.then((some) => some.map(reading.key)) : read.map(reading.key);
}

function nameOf(lambda: Context | undefined, { functionName }: Processor): string {
  return lambda?.functionName ?? functionName ?? LOCAL_NAMESPACE;
}

/**
 * Reserves the default namespace for one processor of this process if its keys need it. Two processors that
 * shared it would share keys: `charge` of order `1` and `refund` of payment `1` would be the same work, and
 * the second would be acknowledged without running. Throws a `ConfigurationError` if another one has it.
 */
export function reserveNamespace(lambda: Context | undefined, processor: Processor): void {
  const { settings, givenStore } = processor;
  if (settings.namespace !== undefined || hasOwnKeys(settings)) return;
  const namespace = nameOf(lambda, processor);
  const users = usersOf(givenStore);
  const user = users.get(namespace);
  if (user === undefined) users.set(namespace, processor);
  else if (user !== processor) {
    throw new ConfigurationError(
      `Two processors use the default namespace \`${namespace}\` on one claim store, so equal keys ` +
        'would be the same work: set `namespace`, or create the processor outside the handler',
    );
  }
}

/** Returns whether keys are unique without a namespace: message ids, or keys that are used whole. */
function hasOwnKeys({ key, decode, routing }: Settings): boolean {
  if (routing !== undefined) return false;
  if (key.isWholeKey === true) return true;
  return key.isMessageId === true && decode.every(({ kind }) => kind !== 'envelope');
}

/** Returns the processor that uses each default namespace of a store. */
function usersOf(store: ClaimStore): Map<string, object> {
  const { users: byPlace } = shared();
  const place = placeOf(store);
  const users = byPlace.get(place) ?? new Map<string, object>();
  byPlace.set(place, users);
  return users;
}
