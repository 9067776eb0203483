import { randomUUID } from 'node:crypto';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../places.ts';
import type { ScheduleTrigger } from '../stack.ts';

/** An event as EventBridge hands it to its targets. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** To the second, such as `2026-01-02T03:04:05Z`. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

/** Makes an event of its parts. */
export function busEvent({
  source,
  detailType,
  timeMs,
  resources,
  detail,
}: {
  readonly source: string;
  readonly detailType: string;
  readonly timeMs: number;
  readonly resources: readonly string[];
  readonly detail: unknown;
}): BusEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': detailType,
    source,
    account: LOCAL_ACCOUNT,
    time: `${new Date(timeMs).toISOString().slice(0, 19)}Z`,
    region: LOCAL_REGION,
    resources,
    detail,
  };
}

/** What a function gets from a schedule: its constant input, or the event of a rule or of EventBridge Scheduler. */
export function scheduledEvent({ input, service, arn }: ScheduleTrigger, timeMs: number): unknown {
  if (input !== undefined) return parsedInput(input);
  const isRule = service === 'events';
  return busEvent({
    source: isRule ? 'aws.events' : 'aws.scheduler',
    detailType: 'Scheduled Event',
    timeMs,
    resources: [arn],
    // EventBridge Scheduler has it as a text.
    detail: isRule ? {} : '{}',
  });
}

/** The constant input of a target is JSON; a text that is none reaches the function as a text. */
export function parsedInput(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}
