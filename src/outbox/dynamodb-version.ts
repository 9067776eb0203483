import { ConfigurationError } from '../base/errors.ts';
import type { OutboxPlace, OutboxRow } from './dynamodb-row.ts';

/** A row as a person saw it. */
export interface SeenVersion extends OutboxPlace {
  /** The row's own version; null if it was never changed. */
  readonly stored: string | null;
}

/** Returns the version of a row for people. It holds the row's place too, so that a change finds it. */
export function versionOf({ lane, position, version }: OutboxRow): string {
  return JSON.stringify([version ?? null, lane, position]);
}

/** Reads a version. Throws a `ConfigurationError` for any other text. */
export function seenVersion(version: string): SeenVersion {
  try {
    const [stored, lane, position] = JSON.parse(version) as [unknown, unknown, unknown];
    const isStored = stored === null || typeof stored === 'string';
    if (isStored && typeof lane === 'string' && typeof position === 'string')
      return { stored, lane, position };
  } catch {
    // below
  }
  throw new ConfigurationError('Expected `seen.version` to be the version of a listed row');
}
