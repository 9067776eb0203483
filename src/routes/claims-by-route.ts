import { countsDeaths } from '../attempts/rules.ts';
import { reachOf } from '../batch/claim.ts';
import type { PlannedRecord } from '../batch/plan.ts';
import type { RecordRoute } from '../batch/record-route.ts';
import { ClaimsAhead } from '../batch/schedule-parts.ts';
import type { AheadOfTurns, Reach } from '../batch/step.ts';

/**
 * Returns the claims to request ahead of each route that has slots or counts crashes, and of all others
 * together: records that wait for a slot of their route hold up no others. Undefined: no route needs it.
 */
export function claimsByRoute(records: readonly PlannedRecord[], reach: Reach): AheadOfTurns | undefined {
  const parts = new Map<RecordRoute | undefined, PlannedRecord[]>();
  for (const record of records) {
    const route = needsOwnReach(record.route) ? record.route : undefined;
    const part = parts.get(route);
    if (part === undefined) parts.set(route, [record]);
    else part.push(record);
  }
  if (parts.size === 0 || (parts.size === 1 && parts.has(undefined))) return undefined;
  const ahead = new Map(
    [...parts].map(([route, some]) => [route, new ClaimsAhead(some, ownReach(route, reach), records.length)]),
  );
  const partOf = ({ route }: PlannedRecord): ClaimsAhead =>
    ahead.get(needsOwnReach(route) ? route : undefined) as ClaimsAhead;
  return {
    nextGroup() {
      for (const part of ahead.values()) {
        const group = part.nextGroup();
        if (group !== undefined) return group;
      }
      return undefined;
    },
    isUnasked: (record) => partOf(record).isUnasked(record),
    makeRoom: (record) => partOf(record).makeRoom(record),
  };
}

function needsOwnReach(route: RecordRoute | undefined): boolean {
  return route !== undefined && (route.slots !== undefined || countsDeaths(route.scope.claims.rules));
}

function ownReach(route: RecordRoute | undefined, reach: Reach): Reach {
  if (route === undefined) return reach;
  const own = reachOf(route.scope, route.concurrency);
  // A claim that waits for a slot uses up its lease.
  return route.slots === undefined ? own : { ...own, atLeast: 0 };
}
