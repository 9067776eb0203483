import { expect, it } from '@jest/globals';
import { passesFilters } from '../../../src/dev/patterns/passes-filters.ts';

it.each<[string, readonly unknown[], string, boolean]>([
  ['no filter', [], 'x', true],
  ['JSON by a pattern for JSON', [{ body: { kind: ['paid'] } }], '{"kind":"paid"}', true],
  ['other JSON by a pattern for JSON', [{ body: { kind: ['paid'] } }], '{"kind":"sent"}', false],
  ['a text by a pattern for a text', [{ body: [{ prefix: 'pa' }] }], 'paid', true],
  ['a text by a pattern for JSON', [{ body: { kind: ['paid'] } }], 'paid', false],
  ['JSON by a pattern for a text', [{ body: [{ prefix: '{' }] }], '{"kind":"paid"}', false],
  ['a number as the text that it is', [{ body: ['5'] }], '5', true],
  ['any text by another member', [{ attributes: { SenderId: ['a'] } }], 'x', true],
  ['one of two filters', [{ body: ['x'] }, { body: ['y'] }], 'y', true],
])('%s', (_name, filters, text, expected) => {
  const record = { messageId: '1', attributes: { SenderId: 'a' }, body: text };
  expect(passesFilters(filters, record, { name: 'body', text })).toBe(expected);
});

it('A record without a payload is matched as it is', () => {
  expect(passesFilters([{ eventName: ['INSERT'] }], { eventName: 'INSERT' })).toBe(true);
  expect(passesFilters([{ eventName: ['REMOVE'] }], { eventName: 'INSERT' })).toBe(false);
});

it('A body of nothing but brackets is no more than one that does not match', () => {
  const text = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(passesFilters([{ body: { kind: ['paid'] } }], {}, { name: 'body', text })).toBe(false);
  const shallow = `{"kind":${'['.repeat(100)}"paid"${']'.repeat(100)}}`;
  expect(passesFilters([{ body: { kind: ['paid'] } }], {}, { name: 'body', text: shallow })).toBe(true);
});
