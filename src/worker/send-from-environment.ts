import type { SQS as SqsClient, SQSClientConfig } from '@aws-sdk/client-sqs';
import { chooseFor, environmentCredentials } from '../aws/environment.ts';
import { debugOnce, tellThroughSdk } from '../aws/debug-once.ts';
import { loadPackage, withoutVersionWarning } from '../aws/sdk/load-package.ts';
import { type AnyClient, sdkSettings, type SdkSettings } from '../aws/sdk/sdk-settings.ts';
import type { Clock } from '../base/clock.ts';
import { ConfigurationError } from '../base/errors.ts';
import { directSend, type SendToSqs, SQS } from './direct-send.ts';
import { endpointOfQueue, type QueueEndpoint } from './queue-endpoint.ts';
import { sdkSend } from './sdk-send.ts';

interface Setup {
  readonly clock: Clock;
  readonly random: () => number;
}

/** Longer than the longest poll. */
const LONGEST_SILENCE_MS = 25_000;

/**
 * Sends requests for a queue as the environment says, read at the first request. The SDK is not used in an
 * ordinary environment, except for credentials that are not in it. Otherwise `@aws-sdk/client-sqs` must be
 * installed. Throws a `ConfigurationError` if the URL is not HTTP.
 */
export function sendFromEnvironment(queueUrl: string, setup: Setup): SendToSqs {
  const endpoint = endpointOfQueue(queueUrl);
  let making: Promise<SendToSqs> | undefined;
  return async (...request) => {
    making ??= make(endpoint, setup).catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return (await making)(...request);
  };
}

async function make({ url, region }: QueueEndpoint, setup: Setup): Promise<SendToSqs> {
  const configured = process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || undefined;
  const named = region ?? configured;
  const choice = chooseFor(SQS, url, process.env);
  if (choice.transport === 'sdk') {
    tellThroughSdk('SQS', choice.why);
    return sdkSend(await ownClient({ url, region: named }, choice.why, setup), setup.clock);
  }
  const why = "No access key is in the environment, so AWS's SDK has to find credentials";
  const credentialsClient = async (): Promise<AnyClient> => {
    const name = '@aws-sdk/client-dynamodb'; // any client finds the same credentials
    return (await loaded<{ readonly DynamoDBClient: AnyClient }>(name, why)).DynamoDBClient;
  };
  const found = sdkSettings(credentialsClient, {
    clock: setup.clock,
    silent: SQS.noCredentials,
    ...(configured === undefined && named !== undefined && { region: named }),
  });
  const isChain = choice.credentials === 'sdk';
  debugOnce(`SQS without AWS's SDK${isChain ? ', but for credentials' : ''}: ${url.origin}`);
  return directSend({
    ...setup,
    endpoint: { url, region: named ?? (await regionOfFiles(found)) },
    credentials: isChain ? found.credentials : () => environmentCredentials(process.env),
    maxAttempts: choice.maxAttempts,
    userAgent: choice.userAgent,
  });
}

async function regionOfFiles(settings: SdkSettings): Promise<string> {
  try {
    return await settings.region();
  } catch (cause) {
    throw new ConfigurationError(
      'createWorker: No AWS region in `queueUrl` or the environment: set AWS_REGION',
      { cause },
    );
  }
}

async function ownClient({ url, region }: QueueEndpoint, why: string, { clock }: Setup): Promise<SqsClient> {
  const sdk = await loaded<{ readonly SQS: new (config: SQSClientConfig) => SqsClient }>(
    '@aws-sdk/client-sqs',
    why,
  );
  const { credentials } = sdkSettings(async () => sdk.SQS, {
    clock,
    silent: SQS.noCredentials,
    ...(region !== undefined && { region }),
  });
  const agent = { keepAlive: true, noDelay: true, maxSockets: 100 };
  return withoutVersionWarning(
    () =>
      new sdk.SQS({
        endpoint: url.origin, // the default, but given to avoid a warning
        useFipsEndpoint: false, // the host may be a FIPS endpoint
        useDualstackEndpoint: false,
        ...(region !== undefined && { region }),
        credentials: async () => credentials(), // unlike the client's own, with a time limit
        requestHandler: {
          connectionTimeout: 2_500,
          requestTimeout: LONGEST_SILENCE_MS,
          throwOnRequestTimeout: true,
          httpAgent: agent,
          httpsAgent: agent,
        },
      }),
  );
}

async function loaded<Module>(name: string, why: string): Promise<Module> {
  try {
    return await loadPackage<Module>(name);
  } catch (cause) {
    throw new ConfigurationError(
      `createWorker: ${why}, and ${name} was not found: \`npm install ${name}\`, or pass a \`client\``,
      { cause },
    );
  }
}
