import { drawn } from './drawn.ts';

/** The special behaviour of a work item. */
export type Trouble =
  | 'none'
  /** Runs for many seconds. */
  | 'slow'
  /** Is sent a second time, as another message. */
  | 'sent-again'
  /** Fails at the first attempt and succeeds at the next delivery. */
  | 'not-answered'
  /** Is parked after the first attempt, and succeeds once a person releases it. */
  | 'declined'
  /** Is parked again after every release. */
  | 'always-declined'
  /** Fails until it is in the dead-letter queue, and succeeds once a person redrives it. */
  | 'out-of-stock'
  /** Kills its process, leaving its claim, at every delivery until it is in the dead-letter queue. */
  | 'kills-its-process'
  /** Has a truncated body. */
  | 'not-json';

/** The `maxReceiveCount` of the demo's queues. */
export const MOST_RECEIVES = 3;

/** The first work items include every kind of trouble, so that there is something to see at once. */
const FIRST: readonly Trouble[] = [
  'declined',
  'none',
  'slow',
  'out-of-stock',
  'declined',
  'always-declined',
  'kills-its-process',
  'not-answered',
  'declined',
  'slow',
  'sent-again',
  'not-json',
];

/** Shares per thousand. */
const SHARES: readonly (readonly [Trouble, number])[] = [
  ['sent-again', 50],
  ['not-answered', 40],
  ['slow', 25],
  ['declined', 6],
  ['kills-its-process', 4],
  ['out-of-stock', 4],
  ['not-json', 1],
];

/** The troubles that leave work for a person. */
const LASTING: ReadonlySet<Trouble> = new Set([
  'declined',
  'always-declined',
  'out-of-stock',
  'kills-its-process',
  'not-json',
]);

/** The first number of the demo. Lower numbers belong to the earlier claims. */
export const FIRST_NUMBER = 1_001;

/** Returns the trouble of a work item; always the same for a seed. */
export function troubleOf(seed: number, number: number): Trouble {
  const first = FIRST[number - FIRST_NUMBER];
  if (first !== undefined) return first;
  let rest = drawn(seed, number, 1_000);
  for (const [trouble, share] of number < FIRST_NUMBER ? [] : SHARES) {
    if (rest < share) return trouble;
    rest -= share;
  }
  return 'none';
}

export function isLasting(trouble: Trouble): boolean {
  return LASTING.has(trouble);
}

/** Returns an attempt's duration: 60 to 1,800 ms, or 8 to 25 seconds for `slow`. */
export function durationOf(seed: number, number: number, attempt: number, trouble: Trouble): number {
  const share = drawn(seed, number * 31 + attempt, 1_000) / 1_000;
  return Math.round(trouble === 'slow' ? 8_000 + 17_000 * share : 60 * 30 ** share);
}
