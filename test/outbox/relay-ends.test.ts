import { describe, expect, it } from '@jest/globals';
import { endsOf, type RoundEnds } from '../../src/outbox/relay-ends.ts';
import type { RelayRow } from '../../src/outbox/relay-row.ts';

type Played = 'sent' | 'later' | 'never' | 'unknown' | 'unmentioned';

function row(id: string, group?: string, tries = 0): RelayRow {
  const message = { type: 'T', body: '{}', attributes: {}, deduplicationId: id };
  return { ...message, id, outboxId: id, group, tries };
}

function end(answers: readonly (readonly [RelayRow, Played])[], maxTries = 10): RoundEnds {
  const error = new Error('no');
  const having = (played: Played): RelayRow[] =>
    answers.filter(([, answer]) => answer === played).map(([one]) => one);
  return endsOf(
    answers.map(([one]) => one),
    {
      sent: having('sent'),
      failed: [
        ...having('later').map((message) => ({ message, error, isRetryable: true })),
        ...having('never').map((message) => ({ message, error, isRetryable: false })),
      ],
      unknown: having('unknown').map((message) => ({ message, error })),
    },
    maxTries,
    () => 1,
  );
}

const failuresOf = ({ failures }: RoundEnds): unknown[] =>
  failures.map(({ row: { id }, parks, delayMs }) => [id, parks, delayMs]);

describe('the end of a round', () => {
  it('counts a failure for the first row of a group that was not sent, and for no other of it', () => {
    const ends = end([
      [row('1', 'a'), 'sent'],
      [row('2', 'a'), 'later'],
      [row('3', 'a'), 'never'],
      [row('4', 'b'), 'sent'],
    ]);
    expect(failuresOf(ends)).toEqual([['2', false, 1_000]]);
    expect(ends.sent.map(({ id }) => id)).toEqual(['1', '4']);
  });

  it('counts each row without a group', () => {
    const ends = end([
      [row('1'), 'never'],
      [row('2'), 'unknown'],
      [row('3'), 'sent'],
    ]);
    expect(failuresOf(ends)).toEqual([
      ['1', true, 1_000],
      ['2', false, 1_000],
    ]);
  });

  it('counts nothing but refusals where nothing was sent', () => {
    const ends = end([
      [row('1'), 'later'],
      [row('2'), 'unknown'],
    ]);
    expect(ends).toMatchObject({ sent: [], failures: [], outage: { message: 'no' } });
    const refused = end([
      [row('1'), 'never'],
      [row('2'), 'later'],
    ]);
    expect(failuresOf(refused)).toEqual([['1', true, 1_000]]);
    expect(refused.outage).toBeUndefined();
  });

  it.each([
    'AccessDeniedException',
    'NotAuthorizedForSourceException',
    'UnrecognizedClientException',
    'MissingAuthenticationTokenException',
    'OptInRequired',
    'UnexpectedAnswerError',
    'BatchlatchError',
  ])('parks nothing for %s, which concerns every message', (name) => {
    const denied = new Error('Refused', { cause: { name } });
    const only = row('1');
    const report = { sent: [], failed: [{ message: only, error: denied, isRetryable: false }], unknown: [] };
    expect(endsOf([only], report, 1, () => 1)).toMatchObject({ failures: [], outage: denied });
  });

  it('parks a row at the last of its tries, and waits longer before each one, up to five minutes', () => {
    const other = [row('0'), 'sent'] as const;
    expect(failuresOf(end([other, [row('1', 'a', 8), 'later']]))).toEqual([['1', false, 256_000]]);
    expect(failuresOf(end([other, [row('1', 'a', 9), 'unknown']]))).toEqual([['1', true, 300_000]]);
  });

  it('sends a row again that the sender does not mention', () => {
    const ends = end([
      [row('0'), 'sent'],
      [row('1'), 'unmentioned'],
    ]);
    expect(failuresOf(ends)).toEqual([['1', false, 1_000]]);
    expect(ends.failures[0]?.error.message).toBe('The sender did not say what happened');
  });
});
