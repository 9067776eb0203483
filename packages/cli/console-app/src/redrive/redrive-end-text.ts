import type { JobJson, RedriveResultJson } from '../api-types.ts';
import { counted } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';

/** Returns the result of a redrive, if there is one. */
export function redriveResultOf({ what, result }: JobJson): RedriveResultJson | undefined {
  return what === 'redrive' ? (result as RedriveResultJson | undefined) : undefined;
}

/** Returns whether every message was redriven, so that there is nothing else to say. */
export function isAllRedriven({
  left,
  notFound,
  undeleted,
  notSeen,
  stillHidden,
}: RedriveResultJson): boolean {
  return Object.keys(left).length + notFound.length + undeleted + notSeen + stillHidden === 0;
}

/** Returns a text such as `12 messages redriven, 11 claims released first`. */
export function redriveEndText(job: JobJson): string {
  const result = redriveResultOf(job);
  if (result === undefined)
    return `The redrive ended early: ${shown(job.error ?? 'the reason is not known')}`;
  const { moved, released, deleted, left } = result;
  const leftInAll = Object.values(left).reduce((sum, count) => sum + count, 0);
  return [
    `${counted(moved, 'message')} redriven`,
    ...(released > 0 ? [`${counted(released, 'claim')} released first`] : []),
    ...(deleted > 0 ? [`${counted(deleted, 'message')} deleted`] : []),
    ...(leftInAll > 0 ? [`${counted(leftInAll, 'message')} left`] : []),
  ].join(', ');
}
