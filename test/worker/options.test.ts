import { describe, expect, test } from '@jest/globals';
import { ConfigurationError } from 'batchlatch';
import { createWorker } from 'batchlatch/worker';

const method = () => Promise.resolve({});
const needed = {
  queueUrl: 'https://sqs.us-east-1.amazonaws.com/000000000000/orders',
  handler: () => Promise.resolve(undefined),
  client: {
    receiveMessage: method,
    deleteMessageBatch: method,
    changeMessageVisibilityBatch: method,
    getQueueAttributes: method,
  },
};
const isDown = (): boolean => false;

function messageOf(options: object): string {
  try {
    createWorker({ ...needed, ...options });
    return '';
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message;
  }
}

describe("a worker's options", () => {
  test.each([
    [{ rate: { records: 0, perMs: 1 } }, 'Expected `rate`'],
    [{ rate: { records: 1 } }, 'Expected `rate`'],
    [{ rate: { records: 1, perMs: 1, key: 'customer' } }, 'Expected `rate`'],
    [{ rate: [{ records: 1, perMs: 0.5 }] }, 'Expected `rate`'],
    [{ dependencies: { name: 'payments', isDown } }, 'Expected `dependencies`'],
    [{ dependencies: [{ name: 'payments' }] }, 'Expected `dependencies`'],
    [{ dependencies: [{ name: 'pay"ments', isDown }] }, 'Expected `dependencies`'],
    [{ dependencies: [{ name: 'claim-store', isDown }] }, "is the claim store's name: rename the dependency"],
    [
      {
        dependencies: [
          { name: 'payments', isDown },
          { name: 'payments', isDown },
        ],
      },
      'two dependencies have the name `payments`',
    ],
    [{ adaptive: true }, 'Expected `adaptive`'],
    [{ adaptive: { tolerance: 1 } }, 'Expected `adaptive`'],
    [{ adaptive: { floor: 5, ceiling: 4 } }, '`adaptive.floor` (5) is above `adaptive.ceiling` (4)'],
    [{ adaptive: { floor: 101 } }, '`adaptive.floor` (101) is above `maxInFlight` (100)'],
    [{ adaptive: { ceiling: 50 }, maxInFlight: 20 }, '`adaptive.ceiling` (50) is above `maxInFlight` (20)'],
    [{ concurrencyPerGroup: 30, maxInFlight: 20 }, '`concurrencyPerGroup` (30) is above `maxInFlight` (20)'],
    [
      { concurrencyPerGroup: 2, queueUrl: `${needed.queueUrl}.fifo` },
      '`concurrencyPerGroup` is 2: a FIFO queue allows only 1',
    ],
  ])('refuses %j', (options, why) => {
    expect(messageOf(options)).toMatch(/^createWorker: /);
    expect(messageOf(options)).toContain(why);
  });

  test.each([
    [{ rate: { records: 1, perMs: 1 } }],
    [
      {
        rate: [
          { records: 1, perMs: 1, key: () => 'a' },
          { records: 9, perMs: 1 },
        ],
      },
    ],
    [{ rate: [] }],
    [{ adaptive: {} }],
    [{ adaptive: { floor: 5, ceiling: 5, tolerance: 2, isOverload: isDown }, maxInFlight: 5 }],
    [{ dependencies: [{ name: 'payments.eu-1', isDown, check: method }] }],
    [{ concurrencyPerGroup: 1, queueUrl: `${needed.queueUrl}.fifo` }],
  ])('takes %j', (options) => {
    expect(messageOf(options)).toBe('');
  });
});
