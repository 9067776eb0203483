import { expect, it } from '@jest/globals';
import { eventBridgeEvent, kinesisEvent, sqsEvent } from 'batchlatch/testing';
import { countRecords, recordNames } from '../../../src/dev/report/record-names.ts';

const namesOf = (event: unknown): string[] => [...recordNames(event).values()];

it('names a record by the first id of its payload, else by its own', () => {
  const event = sqsEvent([
    { body: { orderId: 'order-17', customerId: 'c' }, messageId: 'm-1' },
    { body: { amount: 1 }, messageId: 'm-2' },
    { body: 'text', messageId: 'm-3' },
    { body: { id: 12 }, messageId: 'm-4' },
  ]);
  expect(namesOf(event)).toEqual(['order-17', 'm-2', 'm-3', '12']);
  expect(countRecords(event)).toBe(4);
  expect(namesOf(kinesisEvent([{ body: { pageId: 'p' } }]))).toEqual(['p']);
  expect(namesOf(eventBridgeEvent({ orderId: 'o' }))).toEqual(['o']);
  expect(namesOf('text')).toEqual([]);
  expect(countRecords({})).toBe(1);
});
