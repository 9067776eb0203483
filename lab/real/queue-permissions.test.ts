import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { memoryStore } from 'batchlatch/memory';
import type { BatchEvent } from 'batchlatch';
import { createOrdersFifo } from '../../examples/orders-fifo/orders-fifo.ts';
import { startDynamoDBProxy } from '../local/emulators/dynamodb-proxy.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { at, readTemplate } from '../../test/sam/read-template.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { elasticMQ, startElasticMQ } from '../../test/support/components/elasticmq.ts';
import { receiveEvent } from '../../test/support/poll-queue.ts';
import { createQueue, type Queue } from './support/create-queue.ts';

// As permissions.test.ts does with tables: ElasticMQ has no policies, and a proxy in front of it sees what the function asks
// for and refuses what its role does not allow. What Lambda itself asks for when it polls is not seen here.

/** What Lambda's own polling needs, which no function does. */
const OF_POLLING = new Set(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']);

const granted = permissionsOfRole();

describeWith([elasticMQ], "the queue permissions of the FIFO example's function", () => {
  const charges = mockClient(DynamoDBDocumentClient);
  let queues: LocalService;
  let proxy: LocalService;
  let sqs: SQSClient;
  let queue: Queue;
  let asked: Set<string>;
  let allowed: ReadonlySet<string>;

  beforeAll(async () => {
    queues = await startElasticMQ();
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: queues.endpoint });
    proxy = await startDynamoDBProxy(queues.endpoint, async ({ operation, body }) => {
      const { QueueUrl = '' } = JSON.parse(body) as { QueueUrl?: string };
      const isDead = new URL(QueueUrl).pathname === new URL(queue.deadLetterQueueUrl).pathname;
      // The actions of a batch are those of its entries.
      const action = `sqs:${operation.replace(/Batch$/, '')}`;
      const permission = `${action} on ${isDead ? 'OrdersDeadLetterQueue' : 'OrdersQueue'}`;
      asked.add(permission);
      if (allowed.has(permission)) return undefined;
      const message = `User: orders is not authorized to perform: ${action} because no identity-based policy allows it`;
      return { name: 'AccessDenied', message };
    });
    process.env['AWS_ENDPOINT_URL_SQS'] = proxy.endpoint;
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    Reflect.deleteProperty(process.env, 'AWS_ENDPOINT_URL_SQS');
    charges.restore();
    sqs.destroy();
    for (const service of [proxy, queues]) await service.stop();
  });
  beforeEach(async () => {
    asked = new Set();
    allowed = new Set(granted);
    queue = await createQueue(sqs, { visibilityTimeoutSeconds: 30, maxReceiveCount: 5, isFifo: true });
    charges.reset();
    charges.on(PutCommand).rejects(new Error('The charges table does not answer'));
  });

  it('are what it needs, and nothing more', async () => {
    const { answer } = await chargeTwo({ good: 100, bad: -1 });
    expect(answer.batchItemFailures).toHaveLength(1);
    expect([...asked].toSorted()).toEqual(granted.toSorted());
  });

  it.each([
    ['sqs:ChangeMessageVisibility on OrdersQueue', 'visibilityNotChanged'],
    ['sqs:SendMessage on OrdersDeadLetterQueue', 'deadLetterFailed'],
  ])(
    'without %s the log says %s, with the action, and what was to be given up is kept',
    async (one, said) => {
      expect(granted).toContain(one);
      allowed = new Set(granted.filter((permission) => permission !== one));
      const { answer, events } = await chargeTwo({ good: 100, bad: -1 });
      const [action = ''] = one.split(' ');
      expect(events).toContainEqual(
        expect.objectContaining({
          type: said,
          error: expect.objectContaining({ message: expect.stringContaining(action) }),
        }),
      );
      const isKept = said === 'deadLetterFailed';
      expect(answer.batchItemFailures).toHaveLength(isKept ? 2 : 1);
    },
  );

  /** Two orders of two customers, as Lambda delivers them: one whose charge fails, and one that can never be charged. */
  async function chargeTwo(amounts: Readonly<Record<string, number>>) {
    for (const [orderId, amountCents] of Object.entries(amounts)) {
      const body = { orderId, customerId: orderId, amountCents, currency: 'EUR' };
      const group = { MessageGroupId: orderId, MessageDeduplicationId: orderId };
      const MessageBody = JSON.stringify(body);
      await sqs.send(new SendMessageCommand({ QueueUrl: queue.queueUrl, MessageBody, ...group }));
    }
    const event = await receiveEvent(sqs, queue);
    expect(event.Records).toHaveLength(2);
    const events: BatchEvent[] = [];
    const handler = createOrdersFifo({
      store: memoryStore(),
      deadLettersUrl: throughProxy(queue.deadLetterQueueUrl),
      observer: { onEvent: (told) => events.push(told) },
    });
    return { answer: await handler(event), events };
  }

  function throughProxy(url: string): string {
    return new URL(new URL(url).pathname, proxy.endpoint).href;
  }
});

/** What the role of the example's template allows on queues, but for what Lambda's polling needs. */
function permissionsOfRole(): string[] {
  const role = at(
    readTemplate('examples/orders-fifo/template.yaml'),
    'Resources',
    'OrdersFunctionRole',
    'Properties',
  );
  const statements = at(role, 'Policies', 0, 'PolicyDocument', 'Statement') as unknown[];
  return statements.flatMap((statement) =>
    [at(statement, 'Action')]
      .flat()
      .map(String)
      .filter((action) => action.startsWith('sqs:') && !OF_POLLING.has(action))
      .map((action) => `${action} on ${String(at(statement, 'Resource', 'Fn::GetAtt', 0))}`),
  );
}
