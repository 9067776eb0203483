import { describe, expect, it } from '@jest/globals';
import { message } from 'batchlatch/messages';
import { z } from 'zod';

const order = z.object({ orderId: z.string() });

describe('message()', () => {
  it.each([
    // Under another name than `key` the key would be the consumer's: the id of the message.
    [{ keys: ['orderId'] }, 'message: Unknown option `keys`; known options are key, group, upgrades'],
    [{ key: 'orderId' }, 'message: Expected `key` to be a list of members, or a function'],
    [{ group: ['orderId'] }, 'message: Expected `group` to be the path of a member, or a function'],
    [{ upgrades: 1 }, 'message: Expected `upgrades` to be an object'],
    [null, 'message: Expected the options to be an object'],
  ])('refuses %j', (options, why) => {
    expect(() => message(order, options as never)).toThrow(why);
  });

  it('takes members and functions', () => {
    expect(message(order, { key: ['orderId'], group: 'orderId' }).version).toBe(1);
    expect(message(order, { key: ({ orderId }) => orderId, group: () => 'all' }).version).toBe(1);
  });
});
