import { counted } from '../../text/numbers.ts';

/** Returns how many messages are shown, of how many. `total` is undefined if the queue could not be asked. */
export function shownText(messages: number, total: number | undefined): string {
  const all = total === undefined ? 'it is not known how many the queue has' : `the queue has about ${total}`;
  return `${counted(messages, 'message')} shown, ${all}`;
}
