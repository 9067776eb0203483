import type { OutboxOperation, OutboxState, RowJson, WhyNot } from '../api-types.ts';
import { counted } from './numbers.ts';
import { shown } from './shown.ts';
import { isoOf, timePhrase } from './times.ts';

/** The states of an outbox's rows in display order. */
export const ROW_STATES = ['parked', 'waiting', 'dropped'] as const satisfies readonly OutboxState[];

/** The names of the states, with the icon and the colour of the state of claims that is alike. */
export const ROW_STATE = {
  parked: { name: 'Parked', icon: 'parked', color: 'parked' },
  waiting: { name: 'Waiting', icon: 'in-progress', color: 'in-progress' },
  dropped: { name: 'Dropped', icon: 'failed', color: 'queue' },
} as const satisfies Record<OutboxState, object>;

/** The labels of the buttons. */
export const ROW_OPERATION_NAME: Readonly<Record<OutboxOperation, string>> = {
  release: 'Release',
  drop: 'Drop',
};

/** The past participles, for sentences such as `3 rows released`. */
export const ROW_OPERATION_DONE: Readonly<Record<OutboxOperation, string>> = {
  release: 'released',
  drop: 'dropped',
};

/** Why a row was not changed. */
export const ROW_REFUSAL: Readonly<Record<WhyNot, string>> = {
  absent: 'no longer there: it may be sent',
  changed: 'changed since you looked: look at it, and decide again',
  waiting: 'waiting: a relay may be sending it',
  dropped: 'dropped already',
};

/** Dropped rows are deleted after 14 days. */
const DROPPED_MS = 14 * 24 * 3_600_000;

/** Returns a sentence about what happens to a row. `heldGroups` are the groups that have a parked row. */
export function nextOfRow(
  { state, group, tries, changedAt }: Pick<RowJson, 'state' | 'group' | 'tries' | 'changedAt'>,
  heldGroups: ReadonlySet<string>,
  now: number,
): string {
  if (state === 'parked') {
    return group === undefined
      ? 'Waits for you to release or drop it.'
      : 'Waits for you to release or drop it, and the later rows of its group wait with it.';
  }
  if (state === 'dropped') {
    const until = timePhrase(isoOf(Date.parse(changedAt ?? '') + DROPPED_MS) ?? '', now);
    return `Is not sent, and is deleted ${until === '' ? 'after 14 days' : until} unless you release it.`;
  }
  if (group !== undefined && heldGroups.has(group)) {
    return 'Waits until the parked row of its group is released or dropped.';
  }
  if (tries > 0) return `Is sent again by the relay, after it failed ${counted(tries, 'time')}.`;
  return 'Is sent by the relay as soon as it runs.';
}

/** Returns the address of the rows in a state, or of all that are not sent. */
export function rowsHref(state?: OutboxState, type?: string): string {
  const parameters = new URLSearchParams({ ...(state && { state }), ...(type !== undefined && { type }) });
  return parameters.size === 0 ? '/outbox' : `/outbox?${parameters.toString()}`;
}

/** Returns the sentence about a planned change. */
export function rowsMeaning(operation: OutboxOperation, count: number, inGroups: number): string {
  const rows = counted(count, 'row');
  const isOne = count === 1;
  if (operation === 'release')
    return `${rows} ${isOne ? 'is' : 'are'} sent by the relay, tries counted from 0.`;
  const goOn = inGroups === 0 ? '' : `, and the later rows of ${isOne ? 'its group' : 'their groups'} go on`;
  const kept = `${isOne ? 'It is' : 'They are'} kept for 14 days and can be released in that time.`;
  return `${rows} ${isOne ? 'is' : 'are'} not sent${goOn}. ${kept}`;
}

/** Returns a text such as `Released by ann: the queue is back`. */
export function lastChangeText({ history }: Pick<RowJson, 'history'>): string | undefined {
  const last = history.at(-1);
  if (last === undefined) return undefined;
  const { operation, operator, reason } = last;
  return `${operation === 'release' ? 'Released' : 'Dropped'} by ${shown(operator)}: ${shown(reason)}`;
}
