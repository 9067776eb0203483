import { standardSchema } from '../around/standard-schema.ts';
import { ConfigurationError } from '../base/errors.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { GatherFor, Gathering, GatheringHandler, RoutingPolicy } from '../batch/context.ts';
import type { RecordRoute } from '../batch/record-route.ts';
import { ClaimsAhead } from '../batch/schedule-parts.ts';
import { keyOfBody } from '../messages/message-key.ts';
import type { Message } from '../messages/message.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import { type GivenRoute, openRoutes, type RouteSettings } from './open-routes.ts';
import type { TypeReader } from './type-reader.ts';

/** Returns the routes of a processor. With `gatherFor`, their handlers are batch handlers. */
export function routing(
  given: readonly GivenRoute[],
  reader: TypeReader,
  gatherFor?: GatherFor,
): RoutingPolicy {
  const isGathered = gatherFor !== undefined;
  const routes = new Map(given.map((route) => [route.type, settingsOf(route)]));
  const typeOf: RoutingPolicy['typeOf'] = (record) =>
    ('route' in record ? record.route?.type : undefined) ?? 'other';
  return {
    option: 'routes',
    hasOwnSlots: isGathered,
    ...(isGathered && { gather: gatherByRoute(gatherFor) }),
    effort: effortOf(given, reader),
    inBatches: (gather) => routing(given, reader, gather),
    assertFit({ schema, key }) {
      if (schema !== undefined) {
        throw new ConfigurationError('Expected no `schema` with routes(…): each message(…) has its own');
      }
      const needsPrefix = ({ ownKey, options }: RouteSettings): boolean =>
        ownKey === undefined && options.keysAsBefore !== true;
      if (key?.isWholeKey === true && [...routes.values()].some(needsPrefix)) {
        throw new ConfigurationError(
          'Expected no whole keys with routes(…), because two types could share one: ' +
            'give each message(…) a `key`, or the route `keysAsBefore`',
        );
      }
    },
    open: (context, namespace) => openRoutes({ routes, reader, isGathered }, context, namespace),
    typeOf,
    countsOf({ records, outcomes }) {
      const types: Record<string, Record<string, number>> = {};
      for (const record of records) {
        const status = outcomes[record.index]?.status ?? 'unfinished';
        const counts = (types[typeOf(record)] ??= {});
        counts[status] = (counts[status] ?? 0) + 1;
      }
      return { types };
    },
    claimsAhead(records, shared) {
      const reaches = [...new Set(records.map(({ route }) => route?.reach))];
      const parts = reaches.map((reach) => {
        const some = records.filter(({ route }) => route?.reach === reach);
        return new ClaimsAhead(some, reach ?? shared, records.length);
      });
      return {
        nextGroup() {
          for (const part of parts) {
            const group = part.nextGroup();
            if (group !== undefined) return group;
          }
          return undefined;
        },
        isUnasked: (record) => parts.every((part) => part.isUnasked(record)),
        makeRoom(record) {
          for (const part of parts) part.makeRoom(record);
        },
      };
    },
  };
}

function settingsOf(given: GivenRoute): RouteSettings {
  const { message, options } = given;
  return {
    ...given,
    schema: message && standardSchema(message.schema),
    ownKey: message && ownKeyOf(message),
    slots: options.concurrency === undefined ? undefined : new Semaphore(options.concurrency),
  };
}

function ownKeyOf(message: Message): RouteSettings['ownKey'] {
  const keyOf = keyOfBody(message);
  // Paths refuse numbers that a double cannot hold; functions get the body as handlers know it.
  const isFunction = typeof message.options.key === 'function';
  return keyOf && ((record) => keyOf(isFunction ? record.body : exactBody(record)));
}

/** Returns the risk of reading records: users' functions are unbounded. */
function effortOf(given: readonly GivenRoute[], { effort }: TypeReader): KeySelector['effort'] {
  const options = given.map(({ message }) => message?.options);
  if (options.some((one) => typeof one?.key === 'function' || one?.upgrades !== undefined)) return undefined;
  return effort === 'none' && options.some((one) => one?.key !== undefined) ? 'bounded' : effort;
}

/** Gathers the records of each route for itself, so that a call gets records of one type. */
function gatherByRoute(gatherFor: GatherFor): GatheringHandler['gather'] {
  return (context, starts) => {
    const gatherings = new Map<RecordRoute, Gathering>();
    return {
      join(attempt) {
        const route = attempt.of.route as RecordRoute;
        const gathering =
          gatherings.get(route) ??
          gatherFor(route.handler as BatchHandler, context, starts, route, route.concurrency);
        gatherings.set(route, gathering);
        return gathering.join(attempt);
      },
      startIfComplete() {
        for (const gathering of gatherings.values()) gathering.startIfComplete();
      },
      stop() {
        for (const gathering of gatherings.values()) gathering.stop();
      },
    };
  };
}
