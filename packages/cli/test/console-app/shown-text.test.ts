import { expect, it } from '@jest/globals';
import { shownText } from '../../console-app/src/pages/dead-letters/shown-text.ts';

it.each([
  [1, 3, '1 message shown, the queue has about 3'],
  [0, 0, '0 messages shown, the queue has about 0'],
  [0, undefined, '0 messages shown, it is not known how many the queue has'],
])('%d messages of a queue with %s are shown as %j', (messages, total, text) => {
  expect(shownText(messages, total)).toBe(text);
});
