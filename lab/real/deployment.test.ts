import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import type { Order } from '../../examples/orders/order.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { readChargedOrders, readClaims, readDepth, readMessageIds } from '../local/demo/stored-orders.ts';
import { at } from '../../test/sam/read-template.ts';
import { keyHash } from '../../src/base/key-hash.ts';
import { claimRequest, settlementOf } from '../../test/support/claim-builders.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { lambdaRuntime } from '../../test/support/components/lambda-toolchain.ts';
import { ministack, startMinistack } from '../../test/support/components/ministack.ts';
import { deployToMinistack } from './support/deploy-to-ministack.ts';
import { builtFunctions, samCli } from './support/sam-cli.ts';
import { sendMessages } from './support/send-messages.ts';
import { until } from './support/until.ts';

describeWith(
  [ministack, samCli, lambdaRuntime],
  'the template, deployed with `sam deploy` to MiniStack,',
  () => {
    let cloud: LocalService;
    let dynamoDB: DynamoDBClient;
    let sqs: SQSClient;
    let outputs: Readonly<Record<string, string>>;
    beforeAll(async () => {
      await samCli.install();
      cloud = await startMinistack({ node: 22 });
      dynamoDB = emulatorClient(cloud.endpoint);
      sqs = new SQSClient({ ...emulatorClientConfig, endpoint: cloud.endpoint });
      outputs = await deployToMinistack(cloud, await builtFunctions(), 'orders');
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      dynamoDB.destroy();
      sqs.destroy();
      await cloud.stop();
    });

    it('has its tables, its queues and the redrive between them', async () => {
      for (const name of ['ClaimsTableName', 'ChargesTableName']) {
        const { Table } = await dynamoDB.send(new DescribeTableCommand({ TableName: outputs[name] }));
        expect(Table?.TableStatus).toBe('ACTIVE');
      }
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: outputs['OrdersQueueUrl'], AttributeNames: ['All'] }),
      );
      expect(Attributes.VisibilityTimeout).toBe('181');
      const redrive = JSON.parse(Attributes.RedrivePolicy ?? '{}');
      expect(Number(redrive.maxReceiveCount)).toBe(5);
      expect(redrive.deadLetterTargetArn.split(':').at(-1)).toBe(
        outputs['OrdersDeadLetterQueueUrl']?.split('/').at(-1),
      );
    });

    it('charges each order of its queue once, and gives up the one that cannot be charged', async () => {
      await shortenWaits();
      const orders = Array.from({ length: 12 }, () => anOrder());
      const bad = anOrder({ amountCents: -1 });
      const sentAgain = orders.slice(0, 3);
      const ids = await send([...orders, bad, ...sentAgain]);

      await until('the queue is empty', async () => {
        const { visible, inFlight } = await readDepth(sqs, outputs['OrdersQueueUrl'] ?? '');
        return visible + inFlight === 0;
      });
      expect(await charged()).toEqual(orders.map(({ orderId }) => orderId).toSorted());
      expect(await readMessageIds(sqs, outputs['OrdersDeadLetterQueueUrl'] ?? '')).toEqual(
        new Set([ids[orders.length]]),
      );

      const claims = await readClaims(dynamoDB, outputs['ClaimsTableName'] ?? '');
      expect(claims.map(({ status }) => status).toSorted()).toEqual([
        ...orders.map(() => 'COMPLETED'),
        'PARKED',
      ]);
    });

    it('charges the order of an event that its rule matches, and leaves other events alone', async () => {
      const [matching, other] = [anOrder(), anOrder()];
      await putEvents([
        { Source: 'shop.orders', DetailType: 'OrderCancelled', Detail: JSON.stringify(other) },
        { Source: 'shop.orders', DetailType: 'OrderPlaced', Detail: JSON.stringify(matching) },
      ]);
      const claims = await until('an event is done', async () => {
        const ofRule = (await readClaims(dynamoDB, outputs['ClaimsTableName'] ?? '')).filter(({ key }) =>
          key.startsWith(outputs['OrderPlacedFunctionName'] ?? '?'),
        );
        return ofRule.some(({ status }) => status === 'COMPLETED') && ofRule;
      });
      expect(claims).toMatchObject([{ attempt: 1 }]);
      expect(await charged()).toContain(matching.orderId);
      expect(await charged()).not.toContain(other.orderId);
    });

    it('counts an overdue claim and a parked one when the monitor runs, as metrics and by name', async () => {
      const table = outputs['ClaimsTableName'] ?? '';
      const store = dynamoDBStore({ client: dynamoDB, tableName: table, overdueIndex: true });
      const [hung, bad] = [
        claimRequest(`orders#${randomUUID()}`, { leaseMs: 1 }),
        claimRequest('orders#bad'),
      ];
      await store.acquire([hung, bad]);
      await store.settle([settlementOf('park', bad)]);
      const before = await invoke(outputs['ClaimMonitorFunctionName'] ?? '');

      expect(before.answer).toMatchObject({ table, isWhole: true, overdue: 1 });
      expect(at(before.answer, 'parked')).toBeGreaterThanOrEqual(1);
      const lines = before.log.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as object] : []));
      expect(lines).toContainEqual(
        expect.objectContaining({ _aws: expect.anything(), table, OverdueClaims: 1, isWhole: true }),
      );
      expect(lines).toContainEqual(
        expect.objectContaining({ message: 'overdueClaim', key: keyHash(hung.key), owner: hung.owner }),
      );
      expect(lines).toContainEqual(
        expect.objectContaining({ message: 'parkedClaim', key: keyHash(bad.key), status: 'PARKED' }),
      );
    });

    /** Invokes a function, and gives its answer and the end of its log. */
    async function invoke(name: string): Promise<{ answer: unknown; log: string[] }> {
      const response = await fetch(`${cloud.endpoint}/2015-03-31/functions/${name}/invocations`, {
        method: 'POST',
        headers: {
          'x-amz-log-type': 'Tail',
          authorization: 'AWS4-HMAC-SHA256 Credential=local/20240101/us-east-1/lambda/aws4_request',
        },
        body: '{}',
      });
      const tail = Buffer.from(response.headers.get('x-amz-log-result') ?? '', 'base64').toString();
      return { answer: await response.json(), log: tail.split('\n') };
    }

    /**
     * The template's visibility timeout of three minutes, five times, would be a quarter of an hour. It must be longer than an invocation
     * on a busy machine, or else all messages are given up.
     */
    async function shortenWaits(): Promise<void> {
      const QueueUrl = outputs['OrdersQueueUrl'];
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '5' } }));
    }

    function send(orders: readonly Order[]): Promise<string[]> {
      return sendMessages(
        sqs,
        outputs['OrdersQueueUrl'] ?? '',
        orders.map((order) => ({ body: JSON.stringify(order) })),
      );
    }

    async function putEvents(entries: readonly Readonly<Record<string, string>>[]): Promise<void> {
      const response = await fetch(cloud.endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'AWSEvents.PutEvents',
          authorization: 'AWS4-HMAC-SHA256 Credential=local/20240101/us-east-1/events/aws4_request',
        },
        body: JSON.stringify({ Entries: entries }),
      });
      expect(await response.json()).toMatchObject({ FailedEntryCount: 0 });
    }

    async function charged(): Promise<string[]> {
      return (await readChargedOrders(dynamoDB, outputs['ChargesTableName'] ?? '')).toSorted();
    }
  },
);

function anOrder(members: Partial<Order> = {}): Order {
  return {
    orderId: `order-${randomUUID()}`,
    customerId: 'customer',
    amountCents: 100,
    currency: 'EUR',
    ...members,
  };
}
