import { describe, expect, it } from '@jest/globals';
import { putEvents } from '../../../src/dev/events/put-events.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const entry = { Source: 'shop.orders', DetailType: 'OrderPlaced', Detail: '{"orderId":"o1"}' };

function answered(entries: readonly unknown[]): Extract<ReturnType<typeof putEvents>, { answer: unknown }> {
  const result = putEvents({ Entries: entries }, NOW);
  if ('refused' in result) throw new Error(result.refused);
  return result;
}

describe('PutEvents', () => {
  it('refuses a detail that could be read and not be written again', () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const brackets = JSON.stringify({ a: `"\\${'['.repeat(20_000)}` });
    const { accepted, answer } = answered([
      { ...entry, Detail: deep },
      { ...entry, Detail: brackets },
    ]);
    expect(answer.Entries[0]).toEqual({ ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' });
    expect(accepted.map(({ event }) => JSON.stringify(event.detail))).toEqual([brackets]);
  });

  it('makes the envelope of EventBridge', () => {
    const { answer, accepted } = answered([{ ...entry, Resources: ['arn:a'] }]);
    expect(accepted).toEqual([
      {
        bus: 'default',
        event: {
          version: '0',
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          'detail-type': 'OrderPlaced',
          source: 'shop.orders',
          account: '000000000000',
          time: '2026-01-02T03:04:05Z',
          region: 'us-east-1',
          resources: ['arn:a'],
          detail: { orderId: 'o1' },
        },
      },
    ]);
    expect(answer).toEqual({ FailedEntryCount: 0, Entries: [{ EventId: accepted[0]?.event.id }] });
  });

  it('takes the time and the bus of the entry', () => {
    const { accepted } = answered([
      {
        ...entry,
        Time: 1_700_000_000.5,
        EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/orders',
      },
      { ...entry, Time: 1e99 },
    ]);
    expect(accepted[0]).toMatchObject({ bus: 'orders', event: { time: '2023-11-14T22:13:20Z' } });
    expect(accepted[1]).toMatchObject({ event: { time: '2026-01-02T03:04:05Z' } });
  });

  it('fails entries one by one, in their places', () => {
    const { answer, accepted } = answered([
      { ...entry, Source: undefined },
      entry,
      { ...entry, Detail: '{' },
      { ...entry, Detail: '[]' },
      { ...entry, Source: 'aws.s3' },
      null,
      { ...entry, DetailType: '' },
      { ...entry, Detail: 5 },
    ]);
    expect(accepted).toHaveLength(1);
    expect(answer).toEqual({
      FailedEntryCount: 7,
      Entries: [
        {
          ErrorCode: 'InvalidArgument',
          ErrorMessage: 'Parameter Source is not valid. Reason: Source is a required argument.',
        },
        { EventId: expect.any(String) },
        { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' },
        { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' },
        { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: 'Not authorized for the source.' },
        expect.objectContaining({ ErrorCode: 'InvalidArgument' }),
        expect.objectContaining({ ErrorMessage: expect.stringContaining('DetailType') }),
        expect.objectContaining({ ErrorMessage: expect.stringContaining('Parameter Detail ') }),
      ],
    });
  });

  it('takes less than 1 MB, as `send --bus` and a sender send it', () => {
    const large = { ...entry, Detail: JSON.stringify({ a: 'é'.repeat(500_000) }) };
    expect(putEvents({ Entries: [large] }, NOW)).toMatchObject({ answer: { FailedEntryCount: 0 } });
  });

  it.each<[string, unknown, string]>([
    ['no entries', {}, 'Member must not be null'],
    ['nothing', null, 'Member must not be null'],
    ['an empty list', { Entries: [] }, 'greater than or equal to 1'],
    ['eleven entries', { Entries: Array.from({ length: 11 }, () => entry) }, 'less than or equal to 10'],
    [
      '1 MB',
      { Entries: [entry, { ...entry, Detail: JSON.stringify({ a: 'é'.repeat(524_288) }) }] },
      'Total size of the entries',
    ],
  ])('refuses %s', (_name, input, message) => {
    expect(putEvents(input, NOW)).toEqual({ refused: expect.stringContaining(message) });
  });
});
