/**
 * A program: a function that imports Powertools, as many do, and claims one record in the table that the
 * environment names. Prints the response, and whether AWS's SDK for DynamoDB was loaded.
 */
import { createRequire } from 'node:module';
import '@aws-lambda-powertools/logger';
import '@aws-lambda-powertools/tracer';
import '@aws-lambda-powertools/metrics';
import '@aws-lambda-powertools/batch';
import '@aws-lambda-powertools/idempotency';
import '@aws-lambda-powertools/jmespath';
import { createBatchProcessor } from '../../src/index.ts';
import { sqsEvent } from '../../src/testing/index.ts';

const handler = createBatchProcessor(() => undefined);
const response = await handler(sqsEvent([{ body: { orderId: 1 } }]));
const loaded = Object.keys(createRequire(import.meta.url).cache);
process.stdout.write(
  JSON.stringify({
    response,
    appId: process.env['AWS_SDK_UA_APP_ID'],
    sdk: loaded.filter((file) => file.includes('@aws-sdk/client-dynamodb')),
  }),
);
