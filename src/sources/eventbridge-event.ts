import type { EventBridgeEvent } from 'aws-lambda';

/** Whether a value is an EventBridge event: the members that AWS documents as always present. */
export function isEventBridgeEvent(value: unknown): value is EventBridgeEvent<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Partial<EventBridgeEvent<string, unknown>>;
  return (
    typeof event.id === 'string' &&
    event.id !== '' &&
    typeof event.source === 'string' &&
    typeof event['detail-type'] === 'string' &&
    'detail' in event
  );
}
