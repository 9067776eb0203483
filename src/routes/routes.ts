import { standardSchema } from '../around/standard-schema.ts';
import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { RoutingPolicy } from '../batch/context.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import { keyOfBody } from '../messages/message-key.ts';
import type { Message } from '../messages/message.ts';
import { assertMessages, type HandledAs, type Messages, type MessageTypes } from '../messages/messages.ts';
import { aFunction, assertFunction, checkOptionsOf, either, objectWith } from '../options/check-options.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { RouteSettings } from './open-routes.ts';
import type { Route } from './route.ts';
import { routing } from './routing.ts';
import { byAttribute, byFunction, type TypeReader } from './type-reader.ts';

/** Whether the handlers of routes process single records, or many of one type at once (`forBatches`). */
export type RouteMode = 'records' | 'batches';

/**
 * A handler of records with this body, alone or with options.
 *
 * @typeParam Body The type of the body.
 * @typeParam Mode Whether it processes single records or many at once.
 */
export type RouteHandler<Body, Mode extends RouteMode = 'records'> =
  | HandlerOf<Body, Mode>
  | Route<HandlerOf<Body, Mode>>;

/**
 * A handler of records with this body.
 *
 * @typeParam Body The type of the body.
 * @typeParam Mode Whether it processes single records or many at once.
 */
export type HandlerOf<Body, Mode extends RouteMode> = Mode extends 'batches'
  ? BatchHandler<Body>
  : RecordHandler<Body>;

/**
 * The handlers by type, one for each type.
 *
 * @typeParam Types The types by name.
 * @typeParam Mode Whether they process single records or many at once.
 */
export type RouteHandlers<Types extends MessageTypes, Mode extends RouteMode = 'records'> = {
  readonly [Type in keyof Types]: RouteHandler<HandledAs<Types, Type>, Mode>;
};

/**
 * Options of `routes()`.
 *
 * @typeParam Mode Whether the handlers process single records or many at once.
 */
export interface RoutesOptions<Mode extends RouteMode = 'records'> {
  /**
   * Where the type of a record is read: `field('type')`, `cloudEvents()`, or a function of the record.
   * Default: EventBridge's `detail-type`, or the attribute or header `type`, of the envelope first.
   */
  readonly by?: TypeReader | ((record: BatchRecord) => string | undefined);
  /**
   * Handles records of other types and those without one. Default: they are `invalid` and handed back,
   * because their sender may be deployed before this consumer.
   */
  readonly otherwise?: RouteHandler<unknown, Mode>;
}

/**
 * The handlers of a processor by type of message. Created by `routes()`.
 *
 * @typeParam Mode Whether the handlers process single records or many at once.
 */
export interface Routes<Mode extends RouteMode = RouteMode> extends RoutingPolicy {
  /** Carries the kind of handlers; never set at run time. */
  readonly mode?: Mode;
}

/**
 * Returns the handlers of a processor by type of message, in place of its handler. Each record is given to
 * the handler of its type, after it was upgraded to the newest version and checked by the type's schema. The
 * type is part of the key, so records of two types are never the same work.
 *
 * @typeParam Types The types by name.
 * @typeParam Mode Whether the handlers process single records or many at once.
 * @param messages The types, by `messages()`.
 * @param handlers A handler for each type, some of them with options by `route()`.
 * @param options Where the type is read, and what handles other types.
 * @throws `ConfigurationError` for a type without a handler, a handler without a type, and invalid options.
 *
 * @example
 * export const handler = createBatchProcessor(
 *   routes(orderMessages, {
 *     OrderPlaced: async ({ body }) => charge(body),
 *     OrderCancelled: route(async ({ body }) => refund(body), { maxAttempts: 5 }),
 *   }),
 * );
 */
export function routes<Types extends MessageTypes, Mode extends RouteMode = 'records'>(
  messages: Messages<Types>,
  handlers: RouteHandlers<NoInfer<Types>, Mode>,
  options: RoutesOptions<Mode> = {},
): Routes<Mode> {
  checkOptionsOf('routes', options, {
    by: {
      ...either(aFunction(), objectWith('read')),
      expected: "field('type'), cloudEvents() or a function",
    },
    otherwise: { ...either(aFunction(), objectWith('handler')), expected: 'a handler or a route(…)' },
  });
  assertMessages(messages);
  const { by = byAttribute, otherwise } = options;
  const { types } = messages;
  const handlerOf = new Map<string, unknown>(Object.entries(handlers));
  for (const type of handlerOf.keys()) {
    if (Object.hasOwn(types, type)) continue;
    const known = Object.keys(types).join(', ');
    throw new ConfigurationError(`routes: Expected one of ${known}, got \`${type}\``);
  }
  const all = Object.entries(types).map(([type, message]) => settingsOf(handlerOf.get(type), type, message));
  if (otherwise !== undefined) all.push(settingsOf(otherwise));
  const [asBefore, ...more] = all.filter((one) => one.options.keysAsBefore === true);
  if (more.length > 0 || (asBefore !== undefined && asBefore.type === undefined)) {
    throw new ConfigurationError(
      'routes: Expected `keysAsBefore` for one type only, as two types could share a key',
    );
  }
  return routing(all, typeof by === 'function' ? byFunction(by) : by);
}

/** Without a type, the settings of `otherwise`. */
function settingsOf(given: unknown, type?: string, message?: Message): RouteSettings {
  const route: Route<unknown> = isRoute(given) ? given : { handler: given, options: {} };
  assertFunction(`handler of \`${type ?? 'otherwise'}\``, route.handler);
  const { concurrency } = route.options;
  return {
    ...route,
    type,
    message,
    schema: message && standardSchema(message.schema),
    ownKey: message && ownKeyOf(message),
    slots: concurrency === undefined ? undefined : new Semaphore(concurrency),
  };
}

function isRoute(given: unknown): given is Route<unknown> {
  return isObject(given) && 'handler' in given && 'options' in given;
}

function ownKeyOf(message: Message): RouteSettings['ownKey'] {
  const keyOf = keyOfBody(message);
  // Paths refuse numbers that a double cannot hold; functions get the body as handlers know it.
  const isFunction = typeof message.options.key === 'function';
  return keyOf && ((record) => keyOf(isFunction ? record.body : exactBody(record)));
}
