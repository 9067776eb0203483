import { readEvent } from '../sources/read-event.ts';
import type { SourceBatch } from '../sources/source-batch.ts';
import { readDecoded } from './decode.ts';
import type { Settings } from './options.ts';

/** Reads an event. Most have nothing to decode, and wait for nothing. */
export function readRecords(
  event: unknown,
  settings: Pick<Settings, 'decode' | 'unwrap' | 'concurrency'>,
  stop: AbortSignal,
): SourceBatch | Promise<SourceBatch> {
  const { decode } = settings;
  return decode === undefined
    ? readEvent(event, settings)
    : readDecoded(event, { ...settings, decode }, stop);
}
