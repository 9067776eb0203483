import {
  hasDynoxide,
  startDynamoDBEmulator,
} from '../../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { startSqsEmulator } from '../../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { actionlint } from './actionlint.ts';
import { agents } from './agents.ts';
import { chromium } from './chromium.ts';
import type { Component } from './component.ts';
import { confluentSerializers } from './confluent-serializers.ts';
import { dynamoDBLocal } from './dynamodb-local.ts';
import { elasticMQ } from './elasticmq.ts';
import { glueSerializers } from './glue-serializers.ts';
import { lambdaRuntime } from './lambda-toolchain.ts';
import { lighthouse } from './lighthouse.ts';
import { ministack } from './ministack.ts';
import { moto } from './moto.ts';
import { nodes } from './node.ts';
import { osls } from './osls.ts';
import { pgbouncer } from './pgbouncer.ts';
import { porcupine } from './porcupine.ts';
import { postgres } from './postgres.ts';
import { prisma } from './prisma.ts';
import { redis } from './redis.ts';
import { toxiproxy } from './toxiproxy.ts';
import { verdaccio } from './verdaccio.ts';

/** Everything real that tests run against, in the order of what a new machine needs first. */
export const components: readonly Component[] = [
  {
    ...fromNpm('dynoxide', 'DynamoDB for the demo and quick tests, Linux on x64'),
    whyMissing: () => (hasDynoxide() ? undefined : 'its package is for Linux on x64; there is dynalite'),
    start: (options) => startDynamoDBEmulator('dynoxide', options),
  },
  {
    ...fromNpm('dynalite', 'DynamoDB where dynoxide does not run; no PartiQL'),
    start: (options) => startDynamoDBEmulator('dynalite', options),
  },
  { ...fromNpm('fauxqs', 'SQS for the demo and quick tests'), start: startSqsEmulator },
  ...nodes,
  dynamoDBLocal,
  elasticMQ,
  redis,
  toxiproxy,
  porcupine,
  moto,
  ministack,
  postgres,
  pgbouncer,
  prisma,
  lambdaRuntime,
  chromium,
  lighthouse,
  verdaccio,
  osls,
  actionlint,
  confluentSerializers,
  glueSerializers,
  ...agents,
];

/** The component of that name. */
export function componentNamed(name: string): Component {
  const found = components.find((component) => component.name === name);
  if (found !== undefined) return found;
  throw new Error(`No component is called "${name}". There are: ${components.map((c) => c.name).join(', ')}`);
}

/** What `npm ci` has installed, in the version of the lock file. */
function fromNpm(name: string, purpose: string): Component {
  return { name, version: 'npm', purpose, whyMissing: () => undefined, install: async () => undefined };
}
