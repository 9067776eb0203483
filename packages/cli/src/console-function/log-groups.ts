import type { CloudWatchPlace } from '../cloudwatch/ask-cloudwatch.ts';
import { cloudWatchLog } from '../cloudwatch/cloudwatch-log.ts';
import { messageOf } from '../console/api-error.ts';
import type { ReadLog } from '../console/waterfall/read-waterfall.ts';

/**
 * Returns a reader of these log groups alone: the one named after the function of the claim, otherwise all,
 * because the name of a log group may be any. It rejects for a group that cannot be read only if no other one
 * has lines.
 */
export function logOfGroups(place: CloudWatchPlace, groups: readonly string[]): ReadLog {
  return async (search, signal) => {
    const own = groups.filter((group) => group === `/aws/lambda/${search.functionName}`);
    const searched = own.length > 0 ? own : groups;
    const reads = searched.map((group) => cloudWatchLog(place, group)(search, signal));
    const answers = await Promise.allSettled(reads);
    const lines = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const unread = answers.flatMap((answer, index) =>
      answer.status === 'rejected' ? `${searched[index]}: ${messageOf(answer.reason)}` : [],
    );
    if (lines.length === 0 && unread.length > 0) throw new Error(unread.join('; '));
    return lines;
  };
}
