/** Where the process that works on order 1 dies, once. */
export type CrashPoint =
  | 'before-claim'
  | 'after-claim'
  | 'in-handler'
  | 'after-effect'
  | 'after-completion'
  | 'after-answer';

/** What goes wrong in a run. */
export interface Fault {
  readonly name: string;
  readonly text: string;
  readonly crashAt?: CrashPoint;
  /** The process that runs order 1 stands still for so long, and goes on later. */
  readonly standsStillMs?: number;
  /** Order 1 is sent a second time, in a message of its own. */
  readonly isSentTwice?: boolean;
  /** What the handler of order 1 does: fails so many times, fails for good, or kills its process each time. */
  readonly fails?: number | 'for good' | 'kills';
  /** The answer to the first claim of order 1 is lost; the store does not answer from then on for so long. */
  readonly losesAnswer?: boolean;
  readonly storeIsAwayMs?: number;
}

export const CRASHES: Readonly<Record<CrashPoint, string>> = {
  'before-claim': 'before the claim is stored',
  'after-claim': 'after the claim, before the handler',
  'in-handler': 'in the handler, before its effect',
  'after-effect': 'after the effect, before the completion is stored',
  'after-completion': 'after the completion is stored, before the answer',
  'after-answer': 'after the answer',
};

/** What a reader can pick, in the order of the list. */
export const FAULTS: readonly Fault[] = [
  { name: 'none', text: 'Nothing goes wrong' },
  ...Object.entries(CRASHES).map(([point, text]) => ({
    name: point,
    text: `The process dies ${text}`,
    crashAt: point as CrashPoint,
  })),
  { name: 'poison', text: 'Order 1 kills its process each time', fails: 'kills' },
  {
    name: 'stands-still',
    text: 'The process stands still in the handler, and goes on too late',
    standsStillMs: 16_000,
  },
  { name: 'sent-twice', text: 'Order 1 comes in two messages, to two workers', isSentTwice: true },
  { name: 'fails-once', text: 'The handler of order 1 fails once', fails: 1 },
  { name: 'fails-for-good', text: 'Order 1 can never be charged', fails: 'for good' },
  { name: 'lost-answer', text: 'The answer to the claim of order 1 is lost', losesAnswer: true },
  { name: 'store-away', text: 'The store does not answer for 15 seconds', storeIsAwayMs: 15_000 },
];

export function faultNamed(name: string): Fault {
  const fault = FAULTS.find((known) => known.name === name);
  if (fault === undefined) throw new Error(`No fault is named ${name}`);
  return fault;
}
