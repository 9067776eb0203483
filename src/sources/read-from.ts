import { UnsupportedEventError } from './errors.ts';
import type { Source, SourceBatch } from './source.ts';

/** Throws if the source does not recognise the event: an empty success would acknowledge its messages. */
export function readFrom(source: Source, event: unknown): SourceBatch {
  const batch = source.read(event);
  if (batch !== undefined) return batch;
  throw new UnsupportedEventError(
    `Cannot read ${eventShape(event)}: \`source\` is ${source.name}, which sends other events; ` +
      'set the source of this function, or leave `source` out',
  );
}

/** Names in an event may be as long as the event. */
const LONGEST_NAME = 60;

/** Describes an event for error messages: its type, or its members' names. */
export function eventShape(event: unknown): string {
  if (typeof event !== 'object' || event === null) {
    return `an event of type ${event === null ? 'null' : typeof event}`;
  }
  if (Array.isArray(event))
    return event.length === 0 ? 'an empty array' : `an array of ${event.length} records`;
  const members = Object.keys(event);
  if (members.length === 0) return 'an empty event';
  return `an event with ${members.slice(0, 8).map(shownName).join(', ')}${members.length > 8 ? ', …' : ''}`;
}

export function shownName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}
