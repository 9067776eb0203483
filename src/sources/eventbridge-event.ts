import type { EventBridgeEvent } from 'aws-lambda';
import { isObject } from '../claims/is-object.ts';

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
