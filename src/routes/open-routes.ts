import { Semaphore } from '../base/semaphore.ts';
import { reachOf } from '../batch/claim.ts';
import type { BatchContext, SchemaPolicy } from '../batch/context.ts';
import type { Routed } from '../batch/plan.ts';
import type { RecordRoute } from '../batch/record-route.ts';
import { keyMaker, type Namespace, refusePromise } from '../keys/key-string.ts';
import { VERSION } from '../messages/message-attributes.ts';
import { escapedType, TYPED } from '../messages/message-key.ts';
import type { Message } from '../messages/message.ts';
import { attributesOf, detailAttributesOf, outboxIdIn } from '../messages/outbox-id.ts';
import type { BatchRecord } from '../sources/record.ts';
import { type Change, changedRecord } from './changed-record.ts';
import { MayFitLaterError, UnknownTypeError, UnknownVersionError } from './errors.ts';
import { routeSlots } from './route-slots.ts';
import type { Route } from './route.ts';
import type { TypeReader } from './type-reader.ts';

/** A route of a processor, for all of its batches. */
export interface RouteSettings extends Route<unknown> {
  /** Undefined: the records of other types. */
  readonly type: string | undefined;
  readonly message: Message | undefined;
  readonly schema: SchemaPolicy<unknown> | undefined;
  /** Returns the key that the type itself defines; undefined if it defines none. */
  readonly ownKey: ((record: BatchRecord) => string) | undefined;
  /** The slots of this process; undefined: the route has no `concurrency`. */
  readonly slots: Semaphore | undefined;
}

interface AllRoutes {
  /** By type; undefined: `otherwise`. */
  readonly routes: ReadonlyMap<string | undefined, RouteSettings>;
  readonly reader: TypeReader;
  readonly isGathered: boolean;
}

type KeyMaker = (record: BatchRecord) => string;

/** Returns the function that gives each record of a batch its route and its key. It never throws. */
export function openRoutes(
  { routes, reader, isGathered }: AllRoutes,
  context: BatchContext,
  namespace: Namespace,
): (delivered: BatchRecord) => Routed {
  const opened = new Map<RouteSettings, { readonly route: RecordRoute; readonly keyOf: KeyMaker }>();

  function keyMakerOf({ ownKey, options }: RouteSettings, type: string): KeyMaker {
    const { key } = context.settings;
    if (options.keysAsBefore === true) return keyMaker(ownKey ?? key, namespace);
    const select = ownKey ?? ((record: BatchRecord) => outboxIdIn(attributesOf(record)) ?? key(record));
    // rule: type-in-key
    return keyMaker(select, namespace, `${TYPED}:${escapedType(type)}`);
  }

  return (delivered) => {
    let record = delivered;
    let route: RecordRoute | undefined;
    try {
      const attributes = attributesOf(delivered);
      const { type: found, contentOf } = reader.read(delivered, attributes);
      if (typeof found === 'object') refusePromise('by', 'record', found);
      const type = typeof found === 'string' && found !== '' ? found : undefined;
      const settings = routes.get(type) ?? routes.get(undefined);
      if (settings === undefined) throw new UnknownTypeError(type);
      let open = opened.get(settings);
      if (open === undefined) {
        open = {
          route: openRoute(settings, context, isGathered),
          keyOf: keyMakerOf(settings, settings.type ?? ''),
        };
        opened.set(settings, open);
      }
      ({ route } = open);
      const detail = detailAttributesOf(delivered, attributes);
      const version = versionOf(settings, attributes[VERSION] ?? detail?.[VERSION]);
      const upgrade = settings.message?.options.upgrades?.[version];
      if (contentOf !== undefined || detail !== undefined || upgrade !== undefined) {
        const change: Change = (body, parse) => {
          const content = contentOf === undefined ? body : contentOf(body, parse);
          return upgrade === undefined ? content : upgrade.apply(content, version);
        };
        record = changedRecord(delivered, change, { detail, upgrade });
        void record.body; // throws for one too large to parse, or not of its version
      }
      // Types that are not declared differ from record to record.
      const keyOf = settings.type === undefined ? keyMakerOf(settings, type ?? '') : open.keyOf;
      // rule: upgraded-before-key
      return { route, record, key: keyOf(record), outcome: undefined };
    } catch (error) {
      // rule: unknown-type-handed-back
      const mayFitLater = error instanceof MayFitLaterError && ({ mayFitLater: true } as const);
      return { route, record, key: '', outcome: { status: 'invalid', error, ...mayFitLater } };
    }
  };
}

/** Returns the version of a record's body. Throws for one that its type does not have here. */
function versionOf({ type, message }: RouteSettings, given: unknown): number {
  if (message === undefined || given === undefined) return 1;
  const text = typeof given === 'string' ? given : typeof given;
  const version = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity;
  if (version > message.version) throw new UnknownVersionError(type as string, text, message.version);
  return version;
}

function openRoute(settings: RouteSettings, context: BatchContext, isGathered: boolean): RecordRoute {
  const { type = 'other', handler, schema, options, slots, scopeIn } = settings;
  const scope = scopeIn?.(context) ?? context;
  const concurrency = Math.min(options.concurrency ?? Infinity, context.settings.concurrency);
  // Calls of several batches would wait for each other's records, so batch handlers share no slots.
  const ofBatch = concurrency === Infinity ? undefined : new Semaphore(concurrency);
  const semaphore = isGathered ? ofBatch : slots;
  const reach = reachOf(scope, concurrency);
  return {
    type,
    scope,
    handler: handler as RecordRoute['handler'],
    schema,
    concurrency,
    slots: semaphore && routeSlots(semaphore, scope, (thrown) => context.watch.fail(thrown)),
    // A claim that waits for a slot uses up its lease.
    reach: semaphore ? { ...reach, atLeast: 0 } : options.maxAttempts === undefined ? undefined : reach,
    busy: 0,
  };
}
