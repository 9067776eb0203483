import { type BatchStatementRequest, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, SendMessageBatchCommand, SQS } from '@aws-sdk/client-sqs';
import { startDynamoDBEmulator } from '../../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { startSqsEmulator } from '../../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { createClaimsTable, emulatorClient } from '../../../test/support/claims-table.ts';
import { type JsonCall, startJsonProxy } from '../../../test/support/json-proxy.ts';
import { SELF_SIGNED } from '../../../test/support/self-signed.ts';
import { startSqsProxy, type SqsCall } from '../../../test/support/sqs-proxy.ts';

export type DynamoDBCall = JsonCall<{ readonly Statements?: readonly BatchStatementRequest[] }>;

/** DynamoDB by `https` and SQS by `http`, with what arrived there. */
export interface Services {
  readonly dynamoDB: { readonly endpoint: string; readonly calls: readonly DynamoDBCall[] };
  readonly sqs: { readonly calls: readonly SqsCall[] };
  /** New claims tables. Gives their names. */
  createTables(count: number): Promise<string[]>;
  /** The status of each claim of a table. */
  statusesIn(tableName: string): Promise<(string | undefined)[]>;
  /** A queue with these messages. Gives its URL. */
  createQueue(bodies: readonly unknown[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts the emulators, each behind a proxy that keeps the requests. */
export async function startServices(): Promise<Services> {
  const [tables, queues] = await Promise.all([startDynamoDBEmulator(), startSqsEmulator()]);
  const proxy = await startJsonProxy<DynamoDBCall['input'], object>(tables.endpoint, { tls: SELF_SIGNED });
  const calls: DynamoDBCall[] = [];
  proxy.interpose((call, ask) => {
    calls.push(call);
    return ask();
  });
  const sqsProxy = await startSqsProxy(queues.endpoint);
  const dynamoDB: DynamoDBClient = emulatorClient(tables.endpoint);
  const sqs = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
  return {
    dynamoDB: { endpoint: proxy.endpoint, calls },
    sqs: { calls: sqsProxy.calls },
    createTables: (count) => Promise.all(Array.from({ length: count }, () => createClaimsTable(dynamoDB))),
    async statusesIn(TableName) {
      const statuses: (string | undefined)[] = [];
      for await (const { Items = [] } of paginateScan({ client: dynamoDB }, { TableName })) {
        statuses.push(...Items.map(({ status }) => status?.S));
      }
      return statuses;
    },
    async createQueue(bodies) {
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
      const Entries = bodies.map((body, n) => ({ Id: String(n), MessageBody: JSON.stringify(body) }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
      return sqsProxy.through(QueueUrl);
    },
    async stop() {
      dynamoDB.destroy();
      sqs.destroy();
      await Promise.all([proxy.stop(), sqsProxy.stop()]);
      await Promise.all([tables.stop(), queues.stop()]);
    },
  };
}
