import { UnsupportedEventError } from './errors.ts';
import { eventShape } from './event-shape.ts';
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
