import { type Claim, claimJson, claimTimeline } from 'batchlatch/operations';
import { isoTime } from '../tool-base/iso-time.ts';
import type { ClaimDetailJson, EventJson } from './api.ts';
import { logQueryUrl } from './log-query.ts';

export function claimDetail(
  claim: Claim,
  {
    now,
    region,
    showResult,
    unrecorded,
  }: {
    readonly now: number;
    readonly region?: string;
    readonly showResult: boolean;
    /** Actions of people that the row does not record. */
    readonly unrecorded: readonly EventJson[];
  },
): ClaimDetailJson {
  const { result } = claim;
  const logUrl = logQueryUrl(claim, region, now);
  return {
    claim: claimJson(claim, now),
    events: [
      ...claimTimeline(claim, now).map((event): EventJson => ({ ...event, at: isoTime(event.at) ?? null })),
      ...unrecorded,
    ],
    ...(logUrl !== undefined && { logUrl }),
    hasResult: result !== undefined,
    ...(showResult && result !== undefined && { result }),
  };
}
