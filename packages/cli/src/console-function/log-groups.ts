import type { CloudWatchPlace } from '../cloudwatch/ask-cloudwatch.ts';
import { cloudWatchLog } from '../cloudwatch/cloudwatch-log.ts';
import type { ReadLog } from '../console/waterfall/read-waterfall.ts';

/**
 * Returns a reader of these log groups alone: the one named after the function of the claim, otherwise all,
 * because the name of a log group may be any.
 */
export function logOfGroups(place: CloudWatchPlace, groups: readonly string[]): ReadLog {
  return async (search, signal) => {
    const own = groups.filter((group) => group === `/aws/lambda/${search.functionName}`);
    const read = (own.length > 0 ? own : groups).map((group) => cloudWatchLog(place, group)(search, signal));
    return (await Promise.all(read)).flat();
  };
}
