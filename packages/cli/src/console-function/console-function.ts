/** The function that `ClaimsConsole` of `batchlatch-cdk` deploys. The build bundles this file. */
import { fileURLToPath } from 'node:url';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import type { CloudWatchPlace } from '../cloudwatch/ask-cloudwatch.ts';
import { systemClock } from '../tool-base/clock.ts';
import { ConfigurationError } from '../tool-base/errors.ts';
import { assumeRole, type Credentials } from './assume-role.ts';
import { checkConfig, type ConsoleConfig } from './config.ts';
import { type ConsoleHandler, createConsoleHandler } from './console-handler.ts';
import type { ConsolePorts } from './console-ports.ts';
import { publicKeysAddress, publicKeysOf } from './jwt.ts';
import { logOfGroups } from './log-groups.ts';

declare const CONSOLE_VERSION: string;

function configFromEnvironment({ CONSOLE }: NodeJS.ProcessEnv): ConsoleConfig {
  if (CONSOLE === undefined)
    throw new ConfigurationError(
      'The environment has no CONSOLE. Set it, as the construct ClaimsConsole does.',
    );
  return checkConfig(JSON.parse(CONSOLE));
}

function portsOf({ entrance, changes, logs }: ConsoleConfig, environment: NodeJS.ProcessEnv): ConsolePorts {
  const { AWS_REGION: region = '' } = environment;
  const timeouts = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true };
  return {
    clients: (credentials) => ({
      dynamodb: new DynamoDB({ requestHandler: timeouts, ...(credentials !== undefined && { credentials }) }),
      sqs: new SQS({
        requestHandler: { ...timeouts, requestTimeout: 30_000 },
        ...(credentials !== undefined && { credentials }),
      }),
    }),
    credentialsFor: async (operator) => {
      if (changes === undefined)
        throw new ConfigurationError('CONSOLE: Nobody may change anything. Name `operate` in ClaimsConsole.');
      return assumeRole(changes, operator, { region, credentials: ownCredentials(environment) });
    },
    keys: publicKeysOf(entrance.kind === 'load-balancer' ? publicKeysAddress(entrance.loadBalancerArn) : ''),
    appFolder: fileURLToPath(new URL('../console-app', import.meta.url)),
    version: CONSOLE_VERSION,
    region,
    ...(logs !== undefined && { readLog: logOfGroups(placeOf(logs.url, region, environment), logs.groups) }),
    clock: systemClock,
    log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
  };
}

function placeOf(url: string, region: string, environment: NodeJS.ProcessEnv): CloudWatchPlace {
  return { url: new URL(url), region, credentials: async () => ownCredentials(environment) };
}

/** Lambda renews these in the environment of each new process. */
function ownCredentials(environment: NodeJS.ProcessEnv): Credentials {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = environment;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN !== undefined && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

const config = configFromEnvironment(process.env);

export const handler: ConsoleHandler = createConsoleHandler(config, portsOf(config, process.env));
