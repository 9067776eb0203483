import type { Entry } from './entry.ts';

/** Entries that run one after the other, in the batch's order; what fails stops those behind it. */
export type Lane = readonly Entry[];

/** Each entry without a lane of its own runs by itself; the others run in order, lane beside lane. */
export function lanesOf(entries: readonly Entry[]): Lane[] {
  const lanes: Entry[][] = [];
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) {
    const existing = entry.lane === undefined ? undefined : byName.get(entry.lane);
    if (existing !== undefined) {
      existing.push(entry);
      continue;
    }
    const lane = [entry];
    lanes.push(lane);
    if (entry.lane !== undefined) byName.set(entry.lane, lane);
  }
  return lanes;
}
