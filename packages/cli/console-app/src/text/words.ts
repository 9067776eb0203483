import type { ClaimState, Count, OperationKind, ParkedKind } from '../api-types.ts';
import { counted, numberText } from './numbers.ts';
import { localTime } from './times.ts';

/** The states in display order. */
export const STATES = [
  'in-progress',
  'overdue',
  'parked',
  'failed',
  'completed',
] as const satisfies readonly ClaimState[];

/** The names of the states. */
export const STATE_NAME: Readonly<Record<ClaimState, string>> = {
  'in-progress': 'In progress',
  overdue: 'Overdue',
  failed: 'Failed',
  parked: 'Parked',
  completed: 'Completed',
};

/** An explanation of each state. */
export const STATE_MEANING: Readonly<Record<ClaimState, string>> = {
  'in-progress': 'Its lease is live: a handler may be running.',
  overdue: 'Its lease has lapsed. Its process died or hung, and no delivery has taken it over.',
  failed: 'Its last attempt failed. It runs again at its next delivery.',
  parked: 'It waits for a person, and does not run until it is released.',
  completed: 'It is done. Duplicates get its result.',
};

/** The name of a claim that a person released, until its next attempt. */
export const RELEASED_NAME = 'Released';
/** The meaning of that name, in a sentence. */
export const RELEASED_MEANING = 'A person released it. It runs when its message is delivered.';

/** The kinds of parked claims in display order. */
export const PARKED_KINDS = ['lapsed', 'failed', 'attempts', 'done'] as const satisfies readonly ParkedKind[];

/** The name of each kind. */
export const PARKED_NAME: Readonly<Record<ParkedKind, string>> = {
  lapsed: 'Outcome unknown',
  failed: 'Failed for good',
  attempts: 'Too many attempts',
  done: 'Done, result not kept',
};

/** Why a claim is parked, and what to do about it. */
export const PARKED_MEANING: Readonly<Record<ParkedKind, string>> = {
  lapsed:
    'It is not known whether its work was done. Find out; then resolve it if it was, or release it if not.',
  failed: 'Its handler failed for good, or at its last attempt. Repair the cause, then release it.',
  attempts: 'It crashed or was tried too often. Find the cause, then release it.',
  done: 'Its work is done, and only its result was not kept. A release runs the work a second time.',
};

/** The labels of the buttons. */
export const OPERATION_NAME: Readonly<Record<OperationKind, string>> = {
  release: 'Release',
  resolve: 'Resolve',
  park: 'Park',
  forget: 'Forget',
};

/** The past participles, for sentences such as `3 claims released`. */
export const OPERATION_DONE: Readonly<Record<OperationKind | 'redrive', string>> = {
  release: 'released',
  resolve: 'resolved',
  park: 'parked',
  forget: 'forgotten',
  redrive: 'redriven',
};

/** The effect of an operation, on one claim and on many. */
export const OPERATION_MEANING: Readonly<Record<OperationKind, string>> = {
  release: 'may run again at the next delivery, attempts counted from 0',
  resolve: 'count as completed, for work that was finished by hand',
  park: 'do not run until a person releases them',
  forget: 'are deleted with their history: the next delivery runs as if it were the first',
};

/** Why a change was refused. */
export const REFUSAL_MEANING: Readonly<Record<string, string>> = {
  changed: 'changed since you looked: look at it, and decide again',
  running: 'in progress: a handler may be running',
  completed: 'completed: to run it again would repeat its effect',
  absent: 'no longer there',
};

/** Why a message was left in its dead-letter queue. */
export const LEFT_MEANING: Readonly<Record<string, string>> = {
  running: 'its claim is in progress: a handler may be running',
  completed: 'its work is done already',
  unproven: 'its claim does not mention this message',
  'not-released': 'its claim could not be released',
  'came-back': 'it was moved, failed again, and is back',
  'no-destination': 'it is not known which queue it came from',
  behind: 'a message before it in its FIFO group was left',
  refused: 'SQS refused it',
  unanswered: 'the answer of SQS was lost: it may be in both queues',
};

/** Returns a count with its precision. */
export function countText({ count, kind, asOf }: Count): { readonly value: string; readonly note: string } {
  if (count === null || kind === 'unknown') return { value: '–', note: 'not counted' };
  const value = numberText(count);
  switch (kind) {
    case 'exact':
      return { value, note: '' };
    case 'at-least':
      return { value: `${value}+`, note: 'at least' };
    case 'estimate':
      return { value: `~${value}`, note: 'estimate' };
    case 'as-of':
      return { value, note: asOf === undefined ? '' : `as of ${localTime(asOf).slice(-8)}` };
  }
}

/** Returns the cost of a read, such as `Read 4 rows of the index (6 read units).` */
export function readText(read: {
  readonly readBy?: string;
  readonly missingIndex?: string;
  readonly newerRows?: number;
  /** The number of rows that are not claims. */
  readonly unreadableRows?: number;
  readonly rowsRead: number;
  readonly readUnits?: number;
}): string {
  const place = read.readBy === 'index' ? ' of the index' : read.readBy === 'scan' ? ' of the table' : '';
  const units = read.readUnits === undefined ? '' : ` (${counted(read.readUnits, 'read unit')})`;
  const missing =
    read.missingIndex === undefined
      ? ''
      : ` The table has no index \`${read.missingIndex}\` to find them by.`;
  return `Read ${counted(read.rowsRead, 'row')}${place}${units}.${missing}${leftOutText(read)}`;
}

function leftOutText({
  newerRows: newer = 0,
  unreadableRows: others = 0,
}: Parameters<typeof readText>[0]): string {
  const parts = [
    ...(newer === 0 ? [] : [`${counted(newer, 'row')} that only a newer version of batchlatch reads`]),
    ...(others === 0
      ? []
      : [`${counted(others, 'row')} that ${others === 1 ? 'is not a claim' : 'are not claims'}`]),
  ];
  return parts.length === 0 ? '' : ` Left out: ${parts.join(', and ')}.`;
}
