import type { EventBridgeEvent } from 'aws-lambda';
import { isObject } from '../base/is-object.ts';

/** Whether a value is an EventBridge event: the members that AWS documents as always present. */
export function isEventBridgeEvent(value: unknown): value is EventBridgeEvent<string, unknown> {
  if (!isObject(value)) return false;
  const event = value as Partial<EventBridgeEvent<string, unknown>>;
  return (
    typeof event.id === 'string' &&
    event.id !== '' &&
    typeof event.source === 'string' &&
    typeof event['detail-type'] === 'string' &&
    'detail' in event
  );
}

/** What its record, or an envelope, says of an event. */
export function attributesOf(event: EventBridgeEvent<string, unknown>): Record<string, string> {
  const { source, account, region, 'detail-type': detailType } = event;
  return { source, 'detail-type': detailType, account, region };
}
