import { describe, expect, it } from '@jest/globals';
import { from, message, messages, routes } from 'batchlatch/messages';
import { createSender } from 'batchlatch/sender';
import { recordingSender } from 'batchlatch/testing';
import { z } from 'zod';

const order = z.object({ orderId: z.string() });

describe('message()', () => {
  it.each([
    // Under another name than `key` the key would be the consumer's: the id of the message.
    [{ keys: ['orderId'] }, 'message: Unknown option `keys`; known options are key, group, upgrades'],
    [{ key: 'orderId' }, 'message: Expected `key` to be a list of members, or a function'],
    [{ group: ['orderId'] }, 'message: Expected `group` to be the path of a member, or a function'],
    [{ upgrades: 1 }, 'message: Expected `upgrades` to be an object'],
    [{ upgrades: { 1: () => ({}) } }, 'message: Expected `upgrades` to be an object of from(…) by version'],
    [null, 'message: Expected the options to be an object'],
  ])('refuses %j', (options, why) => {
    expect(() => message(order, options as never)).toThrow(why);
  });

  it('takes members and functions', () => {
    expect(message(order, { key: ['orderId'], group: 'orderId' }).version).toBe(1);
    expect(message(order, { key: ({ orderId }) => orderId, group: () => 'all' }).version).toBe(1);
  });
});

describe('messages()', () => {
  it.each<[unknown, string]>([
    [{ OrderPlaced: order }, '`OrderPlaced` to be the result of message(…), got object'],
    // A module in a circle of imports: the records of this type ran unchecked by any schema.
    [
      { OrderPlaced: undefined },
      '`OrderPlaced` to be the result of message(…), got undefined (do modules import',
    ],
    [[message(order)], 'messages: Expected an object such as { OrderPlaced: message(schema) }'],
    [undefined, 'messages: Expected an object such as { OrderPlaced: message(schema) }'],
  ])('refuses %p', (types, why) => {
    expect(() => messages(types as never)).toThrow(why);
  });

  it('is what routes and senders take, and no types without it', () => {
    const types = { OrderPlaced: message(order) } as never;
    const why = 'Expected the types of message as the result of messages(…), got object';
    expect(() => routes(types, { OrderPlaced: () => undefined })).toThrow(why);
    expect(() => createSender(types, { queueUrl: 'http://127.0.0.1/1/orders' })).toThrow(why);
    expect(() => recordingSender(types)).toThrow(why);
  });
});

it.each<[unknown, unknown, string]>([
  ['v1', () => ({}), 'Expected the argument of from to be a Standard Schema'],
  [order, undefined, 'Expected the upgrade to be a function, got undefined'],
])('from(%p, %p) is refused', (schema, upgrade, why) => {
  expect(() => from(schema as typeof order, upgrade as () => object)).toThrow(why);
});
