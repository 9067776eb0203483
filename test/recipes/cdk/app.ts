import { App, Duration, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { BatchQueue, ClaimsTable } from 'batchlatch-cdk';

const app = new App();
const stack = new Stack(app, 'Orders');
const claims = new ClaimsTable(stack, 'Claims');
const charge = new NodejsFunction(stack, 'Charge', {
  entry: 'orders.ts',
  runtime: Runtime.NODEJS_22_X,
  timeout: Duration.seconds(30),
  memorySize: 512,
  depsLockFilePath: 'package-lock.json',
  bundling: { format: OutputFormat.ESM, minify: true, externalModules: [] },
});
new BatchQueue(stack, 'Queue', { function: charge, claims });
app.synth();
