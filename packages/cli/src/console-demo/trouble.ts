import { drawn } from './drawn.ts';

/** What is special about a piece of work. */
export type Trouble =
  | 'none'
  /** It runs for many seconds. */
  | 'slow'
  /** It is sent again, as another message. */
  | 'sent-again'
  /** Its first attempt fails, and the next delivery succeeds. */
  | 'not-answered'
  /** Its first attempt fails for good, so that it is parked. It runs once somebody has released it. */
  | 'declined'
  /** It is parked again whenever it is released. */
  | 'always-declined'
  /** It fails until it is in the dead-letter queue. It runs once somebody has sent it back. */
  | 'out-of-stock'
  /** The process that runs it dies, each time until it is in the dead-letter queue, and leaves its claim behind. */
  | 'kills-its-process'
  /** Its body is cut off in the middle. */
  | 'not-json';

/** After so many receives a queue of the demo gives a message up. */
export const MOST_RECEIVES = 3;

/** The first pieces of work have one of each kind, so that there is something to see at once. */
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

/** Of a thousand. */
const SHARES: readonly (readonly [Trouble, number])[] = [
  ['sent-again', 50],
  ['not-answered', 40],
  ['slow', 25],
  ['declined', 6],
  ['kills-its-process', 4],
  ['out-of-stock', 4],
  ['not-json', 1],
];

/** What waits for a person afterwards. */
const LASTING: ReadonlySet<Trouble> = new Set([
  'declined',
  'always-declined',
  'out-of-stock',
  'kills-its-process',
  'not-json',
]);

/** The numbers before this one are of what was done before the demo began. */
export const FIRST_NUMBER = 1_001;

/** What is special about the work of this number, always the same for a seed. */
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

/** Whether it waits for a person afterwards. */
export function isLasting(trouble: Trouble): boolean {
  return LASTING.has(trouble);
}

/** How long an attempt runs, in milliseconds: most take a third of a second, some ten times as long. */
export function durationOf(seed: number, number: number, attempt: number, trouble: Trouble): number {
  const share = drawn(seed, number * 31 + attempt, 1_000) / 1_000;
  return Math.round(trouble === 'slow' ? 8_000 + 17_000 * share : 60 * 30 ** share);
}
