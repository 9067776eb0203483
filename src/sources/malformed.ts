import { MalformedRecordError } from './errors.ts';
import type { SourceEntry } from './source.ts';

/** The entry of a record that is not what its source promises. */
export function malformed(
  what: string,
  { itemIdentifier, lane }: Partial<Pick<SourceEntry, 'itemIdentifier' | 'lane'>>,
  problem: string,
): SourceEntry<never> {
  const error = new MalformedRecordError(`The ${what} is malformed: ${problem}`);
  return { itemIdentifier, lane, read: { error } };
}
