import { ConfigurationError } from '../base/errors.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { GatherFor, Gathering, GatheringHandler, RoutingPolicy } from '../batch/context.ts';
import type { RecordRoute } from '../batch/record-route.ts';
import { ClaimsAhead } from '../batch/schedule-parts.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import { openRoutes, type RouteSettings } from './open-routes.ts';
import type { TypeReader } from './type-reader.ts';

/** Returns the routes of a processor. With `gatherFor`, their handlers are batch handlers. */
export function routing(
  all: readonly RouteSettings[],
  reader: TypeReader,
  gatherFor?: GatherFor,
): RoutingPolicy {
  const isGathered = gatherFor !== undefined;
  const routes = new Map(all.map((route) => [route.type, route]));
  const typeOf: RoutingPolicy['typeOf'] = (record) =>
    ('route' in record ? record.route?.type : undefined) ?? 'other';
  return {
    option: 'routes',
    hasOwnSlots: isGathered,
    ...(isGathered && { gather: gatherByRoute(gatherFor) }),
    efforts: [reader.effort, ...all.map(effortOf)],
    inBatches: (gather) => routing(all, reader, gather),
    assertFit({ schema, key }) {
      if (schema !== undefined) {
        throw new ConfigurationError('Expected no `schema` with routes(…): each message(…) has its own');
      }
      const needsPrefix = ({ ownKey, options }: RouteSettings): boolean =>
        ownKey === undefined && options.keysAsBefore !== true;
      if (key?.isWholeKey === true && all.some(needsPrefix)) {
        throw new ConfigurationError(
          'Expected no whole keys with routes(…), as two types could share one: give each message(…) a `key`',
        );
      }
    },
    open: (context, namespace) => openRoutes({ routes, reader, isGathered }, context, namespace),
    typeOf,
    countsOf({ records, outcomes }) {
      // Without a prototype, which has members that a type could be called.
      const types = Object.create(null) as Record<string, Record<string, number>>;
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
      const [first] = parts;
      if (first !== undefined && parts.length === 1) return first;
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

/** Returns the risk of making a record's key: users' functions are unbounded. */
function effortOf({ message }: RouteSettings): KeySelector['effort'] {
  const { key, upgrades } = message?.options ?? {};
  if (typeof key === 'function' || upgrades !== undefined) return undefined;
  return key === undefined ? 'none' : 'bounded';
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
