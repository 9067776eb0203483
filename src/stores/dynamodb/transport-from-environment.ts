import { debugOnce, tellThroughSdk } from '../../aws/debug-once.ts';
import { type AnyClient, sdkSettings, type SdkSettings } from '../../aws/sdk/sdk-settings.ts';
import { builtIn } from '../../base/built-in.ts';
import type { RetrySetup } from './retry.ts';
import { ownSdkTransport } from './sdk/own-client.ts';
import { loadSdk } from './sdk/sdk-transport.ts';
import { DYNAMODB, type Transport } from './transport.ts';

const CREDENTIALS = "No access key is in the environment, so that AWS's SDK has to find credentials";

/**
 * Requests as the environment says (docs/stores/dynamodb-requests.md). It is read at the first request, for tests and scripts
 * that set it after the store is made. In Lambda the code is loaded when the store is made, in INIT.
 */
export function transportFromEnvironment(setup: RetrySetup): Transport {
  let made: Transport | undefined;
  let making: Promise<Transport> | undefined;
  // The first request finds out what is wrong.
  if (process.env['AWS_LAMBDA_FUNCTION_NAME']) load().catch(() => undefined);
  return {
    get isBounded() {
      return made?.isBounded === true;
    },
    async send(operation, input, signal) {
      making ??= make(setup);
      try {
        made ??= await making;
      } catch (error) {
        making = undefined;
        throw error;
      }
      return made.send(operation, input, signal);
    },
  };
}

async function make(setup: RetrySetup): Promise<Transport> {
  const { choose, environmentCredentials } = await import('../../aws/environment.ts');
  const choice = choose(DYNAMODB, process.env);
  if (choice.transport === 'sdk') {
    tellThroughSdk('DynamoDB', choice.why);
    return ownSdkTransport(choice.why, credentialsOfSdk(choice.why, setup));
  }
  const { directTransport } = await import('./direct-transport.ts');
  const isChain = choice.credentials === 'sdk';
  const { origin } = choice.endpoint.url;
  debugOnce(`DynamoDB without AWS's SDK${isChain ? ', but for credentials' : ''}: ${origin}`);
  const credentials = isChain
    ? credentialsOfSdk(CREDENTIALS, setup)
    : () => environmentCredentials(process.env);
  return directTransport({ ...choice, ...setup, credentials });
}

function credentialsOfSdk(why: string, { clock }: RetrySetup): SdkSettings['credentials'] {
  const load = async (): Promise<AnyClient> => (await loadSdk(why)).DynamoDBClient;
  return sdkSettings(load, { clock, silent: DYNAMODB.noCredentials }).credentials;
}

/** All that the first request will need. */
async function load(): Promise<void> {
  const { choose } = await import('../../aws/environment.ts');
  const choice = choose(DYNAMODB, process.env);
  if (choice.transport === 'sdk' || choice.credentials === 'sdk') await loadSdk('');
  if (choice.transport === 'sdk') return;
  builtIn(choice.endpoint.url.protocol === 'https:' ? 'node:https' : 'node:http');
  await import('./direct-transport.ts');
}
