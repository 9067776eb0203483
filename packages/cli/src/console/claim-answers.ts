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
    events: inOrder(
      claimTimeline(claim, now).map((event) => ({ ...event, at: isoTime(event.at) ?? null })),
      unrecorded,
    ),
    ...(logUrl !== undefined && { logUrl }),
    hasResult: result !== undefined,
    ...(showResult && result !== undefined && { result }),
  };
}

/** Puts the actions that the row does not record before the first event that is later. */
function inOrder(recorded: readonly EventJson[], unrecorded: readonly EventJson[]): readonly EventJson[] {
  const events = [...recorded];
  for (const action of unrecorded) {
    const next = events.findIndex((event) => isLater(event, action));
    events.splice(next === -1 ? events.length : next, 0, action);
  }
  return events;
}

/** A redrive has the time of its begin, and releases the claim before it moves the message. */
function isLater(event: EventJson, action: EventJson): boolean {
  const isOfRedrive =
    action.kind === 'redriven' &&
    event.kind === 'changed' &&
    event.operator === action.operator &&
    event.reason === action.reason;
  return !isOfRedrive && Date.parse(event.at ?? '') > Date.parse(action.at ?? '');
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
