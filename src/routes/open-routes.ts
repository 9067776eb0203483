import { resolveRetention } from '../claims/retention.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import type { BatchContext } from '../batch/context.ts';
import type { RecordOutcome } from '../batch/outcomes.ts';
import type { Routed } from '../batch/plan.ts';
import type { RecordRoute } from '../batch/record-route.ts';
import { endingOfRecord } from '../batch/settle.ts';
import { keyMaker, type Namespace, refusePromise } from '../keys/key-string.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import { VERSION } from '../messages/message-attributes.ts';
import { escapedType, TYPED } from '../messages/message-key.ts';
import type { Message } from '../messages/message.ts';
import { attributesOf, detailAttributesOf, outboxIdIn } from '../messages/outbox-id.ts';
import type { BatchRecord } from '../sources/record.ts';
import { changedRecord, type Changes } from './changed-record.ts';
import { mayFitLater, UnknownTypeError, UnknownVersionError } from './errors.ts';
import { SharedSlots } from './route-slots.ts';
import type { AllRoutes, RouteSettings } from './route-settings.ts';

interface OpenRoute {
  readonly settings: RouteSettings;
  readonly route: RecordRoute;
  /** Makes the key of a record; undefined for undeclared types, whose types differ. */
  readonly keyOf: ((record: BatchRecord) => string) | undefined;
}

/** The routes of one batch. */
export class OpenRoutes {
  readonly #routing: AllRoutes;
  readonly #context: BatchContext;
  readonly #namespace: Namespace;
  readonly #open = new Map<RouteSettings, OpenRoute>();

  constructor(routing: AllRoutes, context: BatchContext, namespace: Namespace) {
    this.#routing = routing;
    this.#context = context;
    this.#namespace = namespace;
  }

  /** Gives a record its route and its key. Never throws. */
  routedOf(delivered: BatchRecord): Routed {
    let record = delivered;
    let route: RecordRoute | undefined;
    try {
      const attributes = attributesOf(delivered);
      const { type, contentOf } = this.#routing.reader.read(delivered, attributes);
      if (typeof type === 'object') refusePromise('by', 'record', type);
      const name = typeof type === 'string' && type !== '' ? type : undefined;
      const opened = this.#openFor(name);
      ({ route } = opened);
      const detailAttributes = detailAttributesOf(delivered, attributes);
      const version = attributes[VERSION] ?? detailAttributes?.[VERSION];
      const { declared } = opened.settings;
      const upgrade = declared && upgradeOf(declared.type, declared.message, version);
      if (contentOf !== undefined || detailAttributes !== undefined || upgrade !== undefined) {
        record = changedRecord(delivered, { contentOf, detailAttributes, upgrade });
        if (upgrade !== undefined) void record.body; // throws for a body that does not fit its version
      }
      const keyOf = opened.keyOf ?? this.#keyMaker(opened.settings, name ?? '');
      return { route, record, key: keyOf(record), outcome: undefined };
    } catch (error) {
      const outcome: RecordOutcome = {
        status: 'invalid',
        error,
        ...(mayFitLater(error) && { mayFitLater: true }),
      };
      return { route, record, key: '', outcome };
    }
  }

  #openFor(type: string | undefined): OpenRoute {
    const { known, otherwise } = this.#routing;
    const settings = (type === undefined ? undefined : known.get(type)) ?? otherwise;
    if (settings === undefined) throw new UnknownTypeError(type);
    let opened = this.#open.get(settings);
    if (opened === undefined) {
      const { declared } = settings;
      const keyOf = declared && this.#keyMaker(settings, declared.type);
      opened = { settings, route: this.#routeOf(settings), keyOf };
      this.#open.set(settings, opened);
    }
    return opened;
  }

  #keyMaker({ ownKey, options }: RouteSettings, type: string): (record: BatchRecord) => string {
    const { key } = this.#context.settings;
    if (options.keysAsBefore === true && ownKey === undefined) return keyMaker(key, this.#namespace);
    const select: KeySelector = ownKey ?? ((record) => outboxIdIn(attributesOf(record)) ?? key(record));
    const version = options.keysAsBefore === true ? undefined : `${TYPED}:${escapedType(type)}`;
    return keyMaker(select, this.#namespace, version);
  }

  #routeOf({ declared, handler, options, schema, slots }: RouteSettings): RecordRoute {
    const context = this.#context;
    const scope = scopeOf(options, context);
    const isGathered = this.#routing.hasOwnSlots;
    const concurrency = Math.min(options.concurrency ?? Infinity, context.settings.concurrency);
    // Calls of several batches would wait for each other's records, so batch handlers share no slots.
    const own = isGathered ? (concurrency === Infinity ? undefined : new Semaphore(concurrency)) : slots;
    const fail = (thrown: unknown): void => context.watch.fail(thrown);
    return {
      type: declared?.type ?? 'other',
      scope,
      handler: handler as RecordRoute['handler'],
      schema,
      concurrency,
      slots: own && new SharedSlots(own, scope, fail),
      activity: { busy: 0 },
    };
  }
}

/** Returns the context of a batch with the settings of a route in place of the processor's. */
function scopeOf(
  { maxAttempts, recordTimeoutMs, retentionMs, retryable }: RouteSettings['options'],
  context: BatchContext,
): AttemptScope {
  if ((maxAttempts ?? recordTimeoutMs ?? retentionMs ?? retryable) === undefined) return context;
  const { claims, time, watch } = context;
  const { maxCrashes, onLapsedLease, ...rules } = claims.rules;
  const retention =
    retentionMs === undefined
      ? rules.retention
      : resolveRetention(retentionMs, onLapsedLease, rules.retention);
  return {
    watch,
    time: { ...time, timeoutMs: recordTimeoutMs ?? time.timeoutMs },
    claims: {
      ...claims,
      rules: { retention, maxAttempts: maxAttempts ?? rules.maxAttempts, maxCrashes, onLapsedLease },
      endingOf:
        retryable === undefined ? claims.endingOf : endingOfRecord(retryable, claims.store.maxResultBytes),
    },
  };
}

/** Returns the upgrade of a body; undefined if it has the newest version. */
function upgradeOf(type: string, { version: newest, options }: Message, given: unknown): Changes['upgrade'] {
  if (given === undefined) return newest === 1 ? undefined : upgradeFrom(1, options);
  const text = typeof given === 'string' ? given : typeof given;
  const version = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Infinity;
  if (version > newest) throw new UnknownVersionError(type, text, newest);
  return version === newest ? undefined : upgradeFrom(version, options);
}

function upgradeFrom(version: number, { upgrades }: Message['options']): Changes['upgrade'] {
  const by = upgrades?.[version];
  return by && { from: version, by };
}
