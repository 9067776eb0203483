import { GlueClient } from '@aws-sdk/client-glue';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SQS } from '@aws-sdk/client-sqs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions';
import { trace, metrics } from '@opentelemetry/api';
import { App, Stack } from 'aws-cdk-lib';
import { createBatchProcessor, backoff, resultsIn } from 'batchlatch';
import { ClaimsTable } from 'batchlatch-cdk';
import { avro, glueRegistry } from 'batchlatch/avro';
import { startDurable } from 'batchlatch/durable';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { jmesPath } from 'batchlatch/jmespath';
import { openTelemetry } from 'batchlatch/opentelemetry';
import { postgresStore } from 'batchlatch/postgres';
import { powertoolsKey, powertoolsCacheStore, powertoolsCallKey } from 'batchlatch/powertools';
import { confluentRegistry, protobuf } from 'batchlatch/protobuf';
import { redisStore } from 'batchlatch/redis';
import { s3Results } from 'batchlatch/s3';
import { withIdempotency } from 'batchlatch/functions';
import { createWorker } from 'batchlatch/worker';
import { Redis, Cluster } from 'ioredis';
import { Pool } from 'pg';
import { createClient, createCluster, createClientPool } from 'redis';
const stack = new Stack(new App(), 's');
export const all: readonly unknown[] = [
  createBatchProcessor(() => 1, {
    sqs: new SQS(),
    visibility: backoff(),
    store: resultsIn(
      s3Results({ bucket: 'b', client: new S3Client() }),
      dynamoDBStore({ tableName: 't', client: new DynamoDBClient() }),
    ),
    key: powertoolsKey({ jmesPathOptions: new PowertoolsFunctions() }),
    observer: openTelemetry({
      tracerProvider: trace.getTracerProvider(),
      meterProvider: metrics.getMeterProvider(),
    }),
  }),
  createBatchProcessor(() => 1, { store: redisStore({ client: new Redis() }), key: jmesPath('a') }),
  avro({ registry: glueRegistry({ client: new GlueClient() }) }),
  protobuf({ registry: confluentRegistry({ url: 'https://registry.example.com' }) }),
  redisStore({ client: new Cluster([]) }),
  redisStore({ client: createClient() }),
  redisStore({ client: createCluster({ rootNodes: [] }) }),
  redisStore({ client: createClientPool() }),
  powertoolsCacheStore({ client: createClient() }),
  postgresStore({ pool: new Pool() }),
  withIdempotency(async (a: string) => a, { key: powertoolsCallKey() }),
  startDurable({ functionName: 'f', qualifier: '1', client: new LambdaClient(), executionName: () => 'a' }),
  new ClaimsTable(stack, 't'),
  createWorker,
];
