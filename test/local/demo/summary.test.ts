import { describe, expect, it } from '@jest/globals';
import { isAllWell, type Remains, type SentMessage, summarize } from '../../../lab/local/demo/summary.ts';

const sent = (messageId: string, orderId?: string): SentMessage => ({
  messageId,
  orderId,
  peculiarity: 'none',
});

const remains = (some: Partial<Remains>): Remains => ({
  store: 'dynamodb',
  chargedOrders: [],
  claims: [],
  deadLettered: new Set(),
  leftOver: new Set(),
  claimRequests: 0,
  deliveredRecords: 1,
  ...some,
});

describe('the summary', () => {
  it('counts orders charged once, and messages that brought them again', () => {
    const summary = summarize(
      [sent('1', 'a'), sent('2', 'b'), sent('3', 'a')],
      remains({ chargedOrders: ['a', 'b'] }),
    );
    expect(summary).toMatchObject({ sent: 3, distinct: 2, chargedOnce: 2, duplicatesDropped: 1, lost: 0 });
    expect(isAllWell(summary)).toBe(true);
  });

  it('tells a double charge from a dropped duplicate', () => {
    const summary = summarize([sent('1', 'a'), sent('2', 'a')], remains({ chargedOrders: ['a', 'a'] }));
    expect(summary).toMatchObject({ chargedOnce: 0, chargedTwice: 1, duplicatesDropped: 0 });
    expect(isAllWell(summary)).toBe(false);
  });

  it('misses an order that was acknowledged without a charge', () => {
    const summary = summarize([sent('1', 'a'), sent('2', 'b')], remains({ chargedOrders: ['b'] }));
    expect(summary).toMatchObject({ chargedOnce: 1, lost: 1 });
    expect(isAllWell(summary)).toBe(false);
  });

  it('misses a malformed message that is nowhere', () => {
    expect(summarize([sent('1')], remains({})).lost).toBe(1);
  });

  it('finds what is in the dead-letter queue, and what is left over', () => {
    const summary = summarize(
      [sent('1'), sent('2', 'a')],
      remains({ deadLettered: new Set(['1']), leftOver: new Set(['2']) }),
    );
    expect(summary).toMatchObject({ deadLettered: 1, leftOver: 1, lost: 0 });
    expect(isAllWell(summary)).toBe(false);
  });

  it('reads from the claims what ran again, and leaves out attempts that were given back', () => {
    const claim = {
      status: 'COMPLETED',
      owner: 'owner',
      attempt: 1,
      releases: 0,
      crashes: 0,
      leaseUntil: 0,
      createdAt: 0,
      updatedAt: 0,
    } as const;
    const claims: Remains['claims'] = [
      { ...claim, key: 'first-time' },
      { ...claim, key: 'failed-once', attempt: 2 },
      { ...claim, key: 'given-back', attempt: 2, releases: 1 },
      { ...claim, key: 'died', attempt: 3, releases: 1, crashes: 1 },
      { ...claim, key: 'parked', status: 'PARKED' },
    ];
    expect(summarize([], remains({ claims }))).toMatchObject({ retried: 2, takenOver: 1, parked: 1 });
  });
});
