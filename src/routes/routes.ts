import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { RoutingPolicy } from '../batch/context.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import type { HandledAs, Messages, MessageTypes } from '../messages/messages.ts';
import {
  assertFunction,
  type Check,
  checkOptionsOf,
  either,
  aFunction,
  objectWith,
} from '../options/check-options.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Route } from './route.ts';
import { Routing } from './routing.ts';
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
  checkOptionsOf('routes', options, { by: aTypeReader(), otherwise: aHandler() });
  const { by = byAttribute, otherwise } = options;
  const given = new Map(Object.entries<RouteHandler<never, Mode>>(handlers));
  const declared = Object.entries(messages.types).map(([type, message]) => {
    const handler = given.get(type);
    if (handler === undefined) throw new ConfigurationError(`routes: Expected a handler for \`${type}\``);
    given.delete(type);
    return { type, message, ...routeOf(type, handler) };
  });
  for (const type of given.keys()) {
    const known = declared.map((one) => one.type).join(', ');
    throw new ConfigurationError(`routes: No type is called \`${type}\`; known types are ${known}`);
  }
  const others = otherwise && routeOf('otherwise', otherwise);
  const asBefore = declared.filter((one) => one.options.keysAsBefore === true).length;
  if (asBefore > 1 || others?.options.keysAsBefore === true) {
    throw new ConfigurationError(
      'routes: Expected `keysAsBefore` for one type only: two types with such keys could share one',
    );
  }
  const reader = typeof by === 'function' ? byFunction(by) : by;
  return new Routing(declared, others, reader);
}

function routeOf(type: string, given: RouteHandler<never, RouteMode>): Route<unknown> {
  if (isRoute(given)) return given;
  assertFunction(`handler of \`${type}\``, given);
  return { handler: given, options: {} };
}

function isRoute(given: unknown): given is Route<unknown> {
  return isObject(given) && 'handler' in given && 'options' in given;
}

function aTypeReader(): Check {
  return {
    ...either(aFunction(), objectWith('read')),
    expected: "field('type'), cloudEvents() or a function",
  };
}

function aHandler(): Check {
  return {
    expected: 'a handler or a route(…)',
    accepts: (value) => typeof value === 'function' || isRoute(value),
  };
}
