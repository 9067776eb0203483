import { UnsupportedEventError } from './errors.ts';
import type { Source, SourceBatch } from './source.ts';

/**
 * The records of an event. One that the source does not recognise is an error and never an empty success: a success
 * would tell the sender that its messages are done.
 */
export function readFrom(source: Source, event: unknown): SourceBatch {
  const batch = source.read(event);
  if (batch !== undefined) return batch;
  throw new UnsupportedEventError(
    `Cannot read ${eventShape(event)}: \`source\` is ${source.name}, but the event is not one of its own; ` +
      'set the source that invokes this function, or leave `source` out to recognise every known one',
  );
}

/** Names in an event may be as long as the event. */
const LONGEST_NAME = 60;

/** What an event is, for the message of an error: its kind, or the names of its members, with `service` where it is known. */
export function eventShape(event: unknown, service?: string): string {
  if (event === null || typeof event !== 'object')
    return `an event that is ${event === null ? 'null' : `a ${typeof event}`}`;
  if (Array.isArray(event))
    return event.length === 0 ? 'an empty array' : `an array of ${event.length} records`;
  const members = Object.keys(event);
  if (members.length === 0) return 'an empty event';
  return (
    `an event ${service === undefined ? '' : `of ${service} `}` +
    `with ${members.slice(0, 8).map(shownName).join(', ')}${members.length > 8 ? ', …' : ''}`
  );
}

export function shownName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
