import type { Connections } from '../../aws/connections.ts';
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
 * tests and scripts may set it after creating the store. In Lambda the code is loaded and a connection opened
 * during INIT (docs/decisions/0068-connect-in-init.md).
 */
export function transportFromEnvironment(setup: RetrySetup): Transport {
  let made: Transport | undefined;
  let making: Promise<Transport> | undefined;
  let ahead: Ahead | undefined;
  // A failure shows in the first request.
  if (process.env['AWS_LAMBDA_FUNCTION_NAME']) {
    load(() => making === undefined).then(
      (opened) => (ahead = opened),
      () => undefined,
    );
  }
  return {
    get isBounded() {
      return made?.isBounded === true;
    },
    async send(operation, input, signal) {
      making ??= make(setup, ahead);
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

/** The connections to a server, of which one was opened before the first request. */
interface Ahead {
  readonly origin: string;
  readonly connections: Connections;
}

async function make(setup: RetrySetup, ahead: Ahead | undefined): Promise<Transport> {
  const { choose, environmentCredentials } = await importChoice();
  const choice = choose(DYNAMODB, process.env);
  if (choice.transport === 'sdk') {
    tellThroughSdk('DynamoDB', choice.why);
    return ownSdkTransport(choice.why, credentialsOfSdk(choice.why, setup));
  }
  const { directTransport, LIMITS } = await importDirect();
  const isChain = choice.credentials === 'sdk';
  const { origin } = choice.endpoint.url;
  debugOnce(`DynamoDB without AWS's SDK${isChain ? ', but for credentials' : ''}: ${origin}`);
  const credentials = isChain
    ? credentialsOfSdk(CREDENTIALS, setup)
    : () => environmentCredentials(process.env);
  const connections = ahead?.origin === origin ? ahead.connections : undefined;
  return directTransport({ ...choice, ...setup, credentials }, LIMITS, connections);
}

function credentialsOfSdk(why: string, { clock }: RetrySetup): SdkSettings['credentials'] {
  const load = async (): Promise<AnyClient> => (await loadSdk(why)).DynamoDBClient;
  return sdkSettings(load, { clock, silent: DYNAMODB.noCredentials }).credentials;
}

/** Loads the modules that the first request needs, and opens its connection if it comes soon. */
async function load(isFirst: () => boolean): Promise<Ahead | undefined> {
  const { choose } = await importChoice();
  const choice = choose(DYNAMODB, process.env);
  if (choice.transport === 'sdk' || choice.credentials === 'sdk') await loadSdk('');
  if (choice.transport === 'sdk') return undefined;
  const { url } = choice.endpoint;
  builtIn(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const { connectAhead } = await importDirect();
  // With provisioned concurrency the first event may come hours later.
  if (process.env['AWS_LAMBDA_INITIALIZATION_TYPE'] !== 'on-demand') return undefined;
  // The function's module is loaded first. Lambda's runtime asks for the first event after that.
  await new Promise((resolve) => setImmediate(resolve));
  return isFirst() ? { origin: url.origin, connections: connectAhead(url) } : undefined;
}
