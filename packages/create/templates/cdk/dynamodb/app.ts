import { App, Duration, Stack } from 'aws-cdk-lib';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { BatchQueue, ClaimsTable } from 'batchlatch-cdk';

const app = new App();
const stack = new Stack(app, 'my-worker');

const orders = new NodejsFunction(stack, 'Orders', {
  entry: 'orders.ts',
  runtime: Runtime.NODEJS_22_X,
  architecture: Architecture.ARM_64,
  memorySize: 512,
  timeout: Duration.seconds(30),
  bundling: { format: OutputFormat.ESM, minify: true, externalModules: [] },
});

// The table has TTL, and outlives the stack: without its claims, the next delivery of an order would charge it again.
const claims = new ClaimsTable(stack, 'Claims');

// Both queues, the event source mapping with ReportBatchItemFailures, a visibility timeout of six times the function's
// timeout, five receives before a message becomes a dead letter, and the function's permissions.
void new BatchQueue(stack, 'Queue', { function: orders, claims });
