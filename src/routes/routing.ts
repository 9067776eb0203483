import { ConfigurationError } from '../base/errors.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type {
  BatchContext,
  GatherFor,
  Gathering,
  GatheringHandler,
  RoutingPolicy,
} from '../batch/context.ts';
import type { Ledger } from '../batch/ledger.ts';
import { type PlannedRecord, type Routed, typeOf } from '../batch/plan.ts';
import type { RecordRoute } from '../batch/record-route.ts';
import type { AheadOfTurns, Reach } from '../batch/step.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import type { Namespace } from '../keys/key-string.ts';
import type { BatchRecord } from '../sources/record.ts';
import { claimsByRoute } from './claims-by-route.ts';
import { OpenRoutes } from './open-routes.ts';
import type { Route } from './route.ts';
import { type AllRoutes, type DeclaredRoute, type RouteSettings, settingsOf } from './route-settings.ts';
import type { TypeReader } from './type-reader.ts';

/** The routes of a processor: see `RoutingPolicy`. */
export class Routing implements RoutingPolicy, AllRoutes {
  readonly option = 'routes';
  readonly hasOwnSlots: boolean;
  readonly effort: KeySelector['effort'];
  readonly gather?: GatheringHandler['gather'];
  readonly reader: TypeReader;
  readonly known: ReadonlyMap<string, RouteSettings>;
  readonly otherwise: RouteSettings | undefined;
  readonly #given: readonly [readonly DeclaredRoute[], Route<unknown> | undefined, TypeReader];

  constructor(
    declared: readonly DeclaredRoute[],
    otherwise: Route<unknown> | undefined,
    reader: TypeReader,
    gatherFor?: GatherFor,
  ) {
    this.reader = reader;
    this.known = new Map(
      declared.map(({ type, message, ...given }) => [type, settingsOf(given, { type, message })]),
    );
    this.otherwise = otherwise && settingsOf(otherwise, undefined);
    this.hasOwnSlots = gatherFor !== undefined;
    this.effort = effortOf(declared, reader);
    if (gatherFor !== undefined) this.gather = gatherByRoute(gatherFor);
    this.#given = [declared, otherwise, reader];
  }

  assertFit({ schema, key }: { readonly schema?: unknown; readonly key?: KeySelector<never> }): void {
    if (schema !== undefined) {
      throw new ConfigurationError('Expected no `schema` with routes(…): each message(…) has its own');
    }
    const needsPrefix = [
      ...this.known.values(),
      ...(this.otherwise === undefined ? [] : [this.otherwise]),
    ].some(({ ownKey, options }) => ownKey === undefined && options.keysAsBefore !== true);
    if (key?.isWholeKey === true && needsPrefix) {
      throw new ConfigurationError(
        'Expected `key` to return no whole keys with routes(…): two types could share one. ' +
          'Give each message(…) a `key`, or the route `keysAsBefore`',
      );
    }
  }

  inBatches(gatherFor: GatherFor): Routing {
    return new Routing(...this.#given, gatherFor);
  }

  open(context: BatchContext, namespace: Namespace): (record: BatchRecord) => Routed {
    const routes = new OpenRoutes(this, context, namespace);
    return (record) => routes.routedOf(record);
  }

  outcomesByType({ records, outcomes }: Ledger): Readonly<Record<string, Readonly<Record<string, number>>>> {
    const types: Record<string, Record<string, number>> = {};
    for (const record of records) {
      const status = outcomes[record.index]?.status ?? 'unfinished';
      const ofType = (types[typeOf(record)] ??= {});
      ofType[status] = (ofType[status] ?? 0) + 1;
    }
    return types;
  }

  claimsAhead(records: readonly PlannedRecord[], reach: Reach): AheadOfTurns | undefined {
    return claimsByRoute(records, reach);
  }
}

/** Returns the risk of reading records: users' functions are unbounded. */
function effortOf(declared: readonly DeclaredRoute[], { effort }: TypeReader): KeySelector['effort'] {
  const options = declared.map(({ message }) => message.options);
  const hasFunctions = options.some(
    ({ key, upgrades }) => typeof key === 'function' || upgrades !== undefined,
  );
  if (hasFunctions || effort === undefined) return undefined;
  return options.some(({ key }) => key !== undefined) ? 'bounded' : effort;
}

/** Gathers the records of each route for itself, so that a call gets records of one type. */
function gatherByRoute(gatherFor: GatherFor): GatheringHandler['gather'] {
  return (context, starts): Gathering => {
    const gatherings = new Map<RecordRoute, Gathering>();
    return {
      join(attempt) {
        const route = attempt.of.route as RecordRoute;
        let gathering = gatherings.get(route);
        if (gathering === undefined) {
          gathering = gatherFor(route.handler as BatchHandler, context, starts, route);
          gatherings.set(route, gathering);
        }
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
