import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Cleanup } from '../../src/dev/emulators/cleanup.ts';
import { startDynamoDBEmulator } from '../../src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import {
  createOrdersQueues,
  createOrdersTables,
  deleteOrdersTables,
  type OrdersQueues,
  type OrdersTables,
} from './orders-stack.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';

/** A DynamoDB with the two tables. */
export async function prepareDynamoDB(
  dynamodbEndpoint: string | undefined,
  cleanup: Cleanup,
): Promise<{ dynamoDB: DynamoDBClient; endpoint: string; name: string; tables: OrdersTables }> {
  const emulator = dynamodbEndpoint === undefined ? await startDynamoDBEmulator() : undefined;
  if (emulator !== undefined) cleanup.defer(() => emulator.stop());
  const endpoint = emulator?.endpoint ?? dynamodbEndpoint ?? '';
  const dynamoDB = new DynamoDBClient({ ...emulatorClientConfig, endpoint });
  cleanup.defer(() => dynamoDB.destroy());
  const tables = await createOrdersTables(dynamoDB, randomUUID().slice(0, 8)).catch((cause: unknown) => {
    if (codeOf(cause) !== 'ECONNREFUSED') throw cause;
    throw new Error(`Nothing answers at ${endpoint}; start a DynamoDB emulator there`, { cause });
  });
  if (emulator === undefined) cleanup.defer(() => deleteOrdersTables(dynamoDB, tables));
  return { dynamoDB, endpoint, name: emulator === undefined ? '' : `${emulator.name}, `, tables };
}

/** An SQS with the two queues. */
export async function prepareSqs(
  visibilityTimeoutSeconds: number,
  cleanup: Cleanup,
): Promise<{ sqs: SQSClient; queues: OrdersQueues; sqsEndpoint: string }> {
  const emulator = await startSqsEmulator();
  cleanup.defer(() => emulator.stop());
  const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: emulator.endpoint });
  cleanup.defer(() => sqs.destroy());
  const queues = await createOrdersQueues(sqs, visibilityTimeoutSeconds);
  return { sqs, queues, sqsEndpoint: emulator.endpoint };
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
