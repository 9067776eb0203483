import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  App,
  CfnOutput,
  DefaultStackSynthesizer,
  Duration,
  type IStackSynthesizer,
  Stack,
} from 'aws-cdk-lib/core';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sns from 'aws-cdk-lib/aws-sns';
import { BatchAlarms, type BatchAlarmsProps, BatchQueue, ClaimMonitor, ClaimsTable } from 'batchlatch-cdk';

/** What stays different between two stacks of the constructs. */
export interface ShopVariant {
  /** Folders with the code of the two functions, each an ES module. */
  readonly charging: string;
  readonly monitor: string;
  readonly fifo?: boolean;
  readonly isEncrypted?: boolean;
  readonly alarms?: BatchAlarmsProps;
}

/** An asset of a stack: the folder of its files, and where the CDK would upload their archive. */
export interface Asset {
  readonly folder: string;
  readonly bucket: string;
  readonly key: string;
}

/** What the CDK made: the path of a template, and what it has to find uploaded. */
export interface Synthesised {
  readonly template: string;
  readonly assets: readonly Asset[];
}

/** A stack with each of the constructs. */
export function synthesiseShop(outdir: string, variant: ShopVariant): Synthesised {
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, 'Shop', {
    synthesizer: withoutParameters(),
    env: { account: '000000000000', region: 'us-east-1' },
  });
  addShop(stack, variant);
  const assembly = app.synth();
  const { templateFullPath } = assembly.getStackArtifact(stack.artifactId);
  return { template: templateFullPath, assets: assetsOf(assembly.directory, stack) };
}

/** Without the version that is read from SSM. The CDK's own types are not made for `exactOptionalPropertyTypes`. */
function withoutParameters(): IStackSynthesizer {
  return new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }) as IStackSynthesizer;
}

function addShop(
  stack: Stack,
  { charging, monitor, fifo = false, isEncrypted = false, alarms }: ShopVariant,
): void {
  const key = isEncrypted ? { encryptionKey: new kms.Key(stack, 'Key', { enableKeyRotation: true }) } : {};
  const claims = new ClaimsTable(stack, 'Claims', key);
  const charge = new lambda.Function(stack, 'Charge', {
    code: lambda.Code.fromAsset(charging),
    handler: 'charging.handler',
    runtime: lambda.Runtime.NODEJS_22_X,
    timeout: Duration.seconds(10),
  });
  const orders = new BatchQueue(stack, 'Orders', {
    function: charge,
    claims,
    fifo,
    maxConcurrency: 5,
    ...key,
  });
  orders.grantVisibility();
  orders.grantDeadLetter();
  const watching = new ClaimMonitor(stack, 'Monitor', { claims, code: lambda.Code.fromAsset(monitor) });
  const topic = new sns.Topic(stack, 'Topic', { enforceSSL: true });
  const made = new BatchAlarms(stack, 'Alarms', { queues: [orders], monitor: watching, topic, ...alarms });
  const outputs = {
    Table: claims.table.tableName,
    Queue: orders.queue.queueUrl,
    DeadLetters: orders.deadLetterQueue.queueUrl,
    Charging: charge.functionName,
    Monitoring: watching.function.functionName,
    Alarms: String(made.alarms.length),
  };
  for (const [name, value] of Object.entries(outputs)) {
    void new CfnOutput(stack, `${name}Output`, { value });
  }
}

function assetsOf(directory: string, stack: Stack): Asset[] {
  const manifest = JSON.parse(readFileSync(join(directory, `${stack.artifactId}.assets.json`), 'utf8')) as {
    files: Record<string, Described>;
  };
  return Object.values(manifest.files).flatMap(({ source, destinations }) => {
    if (source.packaging !== 'zip') return [];
    const [destination] = Object.values(destinations);
    const { bucketName: bucket = '', objectKey: key = '' } = destination ?? {};
    return [{ folder: join(directory, source.path), bucket, key }];
  });
}

interface Described {
  readonly source: { readonly path: string; readonly packaging: string };
  readonly destinations: Readonly<
    Record<string, { readonly bucketName: string; readonly objectKey: string }>
  >;
}
