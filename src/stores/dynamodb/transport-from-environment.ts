import { debugOnce, tellThroughSdk } from '../../aws/debug-once.ts';
import { type AnyClient, sdkSettings, type SdkSettings } from '../../aws/sdk/sdk-settings.ts';
import { builtIn } from '../../base/built-in.ts';
import type { RetrySetup } from './retry.ts';
import { ownSdkTransport } from './sdk/own-client.ts';
import { loadSdk } from './sdk/sdk-transport.ts';
import { DYNAMODB, type Transport } from './transport.ts';

const CREDENTIALS = 'The environment has no access key';

// One place for each, because bundlers write the import of a module in full wherever it is.
const importChoice = () => import('../../aws/environment.ts');
const importDirect = () => import('./direct-transport.ts');

/**
 * Creates a transport from the environment (docs/stores/dynamodb-requests.md), which the first request reads:
 * tests and scripts may set it after creating the store. In Lambda the code is loaded during INIT.
 */
export function transportFromEnvironment(setup: RetrySetup): Transport {
  let made: Transport | undefined;
  let making: Promise<Transport> | undefined;
  // A failure shows in the first request.
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
  const { choose, environmentCredentials } = await importChoice();
  const choice = choose(DYNAMODB, process.env);
  if (choice.transport === 'sdk') {
    tellThroughSdk('DynamoDB', choice.why);
    return ownSdkTransport(choice.why, credentialsOfSdk(choice.why, setup));
  }
  const { directTransport } = await importDirect();
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

/** Loads the modules that the first request needs. */
async function load(): Promise<void> {
  const { choose } = await importChoice();
  const choice = choose(DYNAMODB, process.env);
  if (choice.transport === 'sdk' || choice.credentials === 'sdk') await loadSdk('');
  if (choice.transport === 'sdk') return;
  builtIn(choice.endpoint.url.protocol === 'https:' ? 'node:https' : 'node:http');
  await importDirect();
}
