import { randomUUID } from 'node:crypto';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../places.ts';
import type { ScheduleTrigger } from '../stack.ts';

/** An event as EventBridge delivers it to targets. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** To the second: `2026-01-02T03:04:05Z`. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

/** Creates an event from its parts. */
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

/** Returns a schedule's event: its constant input, or the one of a rule or of EventBridge Scheduler. */
export function scheduledEvent({ input, service, arn }: ScheduleTrigger, timeMs: number): unknown {
  if (input !== undefined) return parsedInput(input);
  const isRule = service === 'events';
  return busEvent({
    source: isRule ? 'aws.events' : 'aws.scheduler',
    detailType: 'Scheduled Event',
    timeMs,
    resources: [arn],
    // EventBridge Scheduler sends it as a string.
    detail: isRule ? {} : '{}',
  });
}

/** Parses the constant input of a target; a text that is not JSON reaches the function as a string. */
export function parsedInput(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}
