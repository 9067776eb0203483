import { expect, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import type { DeadLetterSqs } from 'batchlatch/operations';
import type { DeadLetters } from '../../src/console/dead-letters.ts';
import { ActionsInMemory } from '../../src/console/action-log.ts';
import { Jobs } from '../../src/console/jobs.ts';
import { KeptPlans } from '../../src/console/kept-plans.ts';
import { Redrives } from '../../src/console/redrives.ts';
import { systemClock } from '../../src/tool-base/clock.ts';

const MESSAGES = 1_010;

/** A queue of messages of which nobody knows where they came from. */
function queueOfStrangers(): DeadLetterSqs {
  let received = 0;
  const known: Partial<DeadLetterSqs> = {
    getQueueAttributes: async () => ({ Attributes: { ApproximateNumberOfMessages: String(MESSAGES) } }),
    receiveMessage: async () => {
      const ids = Array.from({ length: Math.min(10, MESSAGES - received) }, (_, index) => received + index);
      received += ids.length;
      return { Messages: ids.map((id) => ({ MessageId: `m-${id}`, ReceiptHandle: `r-${id}`, Body: '' })) };
    },
    changeMessageVisibilityBatch: async () => ({}),
    listDeadLetterSourceQueues: async () => ({ queueUrls: [] }),
  };
  const refuse = (): Promise<never> => Promise.reject(new Error('not asked'));
  return new Proxy(known, { get: (calls, name) => Reflect.get(calls, name) ?? refuse }) as DeadLetterSqs;
}

it('says of every message why it is left, also of those that a result does not list', async () => {
  const queueUrl = 'http://127.0.0.1/000000000000/dead';
  const redrives = new Redrives({
    letters: { open: () => ({ sqs: queueOfStrangers(), queueUrl }) } as unknown as DeadLetters,
    store: memoryStore(),
    clock: systemClock,
    key: undefined,
    usesReceives: false,
    jobs: new Jobs(systemClock, () => undefined),
    actions: new ActionsInMemory(() => undefined),
    plans: new KeptPlans(systemClock),
  });
  const { signal } = new AbortController();
  expect(await redrives.plan({ queue: 'dead', which: 'all' }, { operator: 'ann' }, signal)).toMatchObject({
    moved: 0,
    left: { 'no-destination': MESSAGES },
  });
});
