import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import xray, { type Segment } from 'aws-xray-sdk-core';
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { powertools, type PowertoolsTracer } from 'batchlatch/observe';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../support/claims-table.ts';

/** A subsegment as X-Ray's SDK keeps it until it is sent. */
interface Kept {
  readonly name: string;
  readonly namespace?: string;
  readonly aws?: object;
  readonly http?: object;
  readonly end_time?: number;
  readonly subsegments?: readonly Kept[];
}

/** X-Ray's SDK as Powertools' tracer has it. */
const tracer = {
  isTracingEnabled: () => true,
  getSegment: () => xray.getSegment(),
  setSegment: (segment: Segment) => xray.setSegment(segment),
  provider: { getNamespace: () => xray.getNamespace() },
} as unknown as PowertoolsTracer;

describe('Requests to DynamoDB in traces of X-Ray', () => {
  let emulator: LocalService;
  let tableName: string;
  const { request } = http;
  let seen = 0;
  const env = { ...process.env };

  beforeAll(async () => {
    xray.setContextMissingStrategy(() => undefined);
    xray.captureHTTPsGlobal(http, false);
    const captured = http.request;
    http.request = ((...args: Parameters<typeof request>) => {
      seen += 1;
      return captured(...args);
    }) as typeof request;
    emulator = await startDynamoDBEmulator('dynoxide');
    const client = emulatorClient(emulator.endpoint);
    tableName = await createClaimsTable(client);
    client.destroy();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: emulator.endpoint,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_CA_BUNDLE: '',
    });
  });
  afterAll(async () => {
    http.request = request;
    process.env = env;
    await emulator.stop();
  });

  it('are subsegments of AWS, and the capture of HTTP adds none', async () => {
    const segment = new xray.Segment('orders');
    seen = 0;
    const handler = createBatchProcessor(() => undefined, {
      store: dynamoDBStore({ tableName }),
      observer: powertools({ tracer }),
    });
    await xray.getNamespace().runAndReturn(async () => {
      xray.setSegment(segment);
      await handler(sqsEvent([{ body: {} }, { body: {} }]), lambdaContext());
    });
    const kept = (segment as unknown as Kept).subsegments ?? [];
    const requests = kept.filter(({ namespace }) => namespace === 'aws');
    expect(requests.map(({ name }) => name)).toEqual(['DynamoDB', 'DynamoDB']);
    for (const { aws, http: answered, end_time: ended } of requests) {
      expect(aws).toMatchObject({ operation: 'BatchExecuteStatement', region: 'eu-west-1', retries: 0 });
      expect(answered).toEqual({ response: { status: 200 } });
      expect(ended).toEqual(expect.any(Number));
    }
    expect(kept.filter(({ namespace }) => namespace === 'remote')).toEqual([]);
    expect(seen).toBe(0); // by other agents either
  });
});
