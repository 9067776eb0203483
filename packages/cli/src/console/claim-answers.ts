import {
  type Claim,
  claimJson,
  claimTimeline,
  nextStepOf,
  type RedeliverySettings,
} from 'batchlatch/operations';
import { isoTime } from '../tool-base/iso-time.ts';
import type { ClaimDetailJson, EventJson, NextStepJson, QueueFactsJson } from './api.ts';
import { logQueryUrl } from './log-query.ts';

export function claimDetail(
  claim: Claim,
  {
    now,
    region,
    showResult,
    unrecorded,
    queues,
  }: {
    readonly now: number;
    readonly region?: string;
    readonly showResult: boolean;
    /** Actions of people that the row does not record. */
    readonly unrecorded: readonly EventJson[];
    readonly queues: readonly QueueFactsJson[];
  },
): ClaimDetailJson {
  const { result } = claim;
  const logUrl = logQueryUrl(claim, region, now);
  return {
    claim: claimJson(claim, now),
    next: nextStepJson(claim, now, redeliveryOf(queues)),
    events: [
      ...claimTimeline(claim, now).map((event): EventJson => ({ ...event, at: isoTime(event.at) ?? null })),
      ...unrecorded,
    ],
    ...(logUrl !== undefined && { logUrl }),
    hasResult: result !== undefined,
    ...(showResult && result !== undefined && { result }),
  };
}

function nextStepJson(claim: Claim, now: number, queue: RedeliverySettings | undefined): NextStepJson {
  const { at, ...step } = nextStepOf(claim, now, queue);
  const time = isoTime(at);
  return { ...step, ...(time !== undefined && { at: time }) };
}

/** Returns the settings that all source queues share: a claim does not tell which of them is its own. */
function redeliveryOf(queues: readonly QueueFactsJson[]): RedeliverySettings | undefined {
  const sources = queues.filter(({ isDeadLetter, isDeleted }) => !isDeadLetter && isDeleted !== true);
  const [first] = sources;
  const isShared = new Set(sources.map(({ redelivery }) => JSON.stringify(redelivery))).size === 1;
  return isShared ? first?.redelivery : undefined;
}
