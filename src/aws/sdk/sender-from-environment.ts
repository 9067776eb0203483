import { chooseFor, choose, type Choice, environmentCredentials } from '../environment.ts';
import { debugOnce, tellThroughSdk } from '../debug-once.ts';
import type { DirectSetup } from '../direct-sender.ts';
import { loadPackage, withoutVersionWarning } from './load-package.ts';
import { type AnyClient, sdkSettings, type SdkSettings } from './sdk-settings.ts';
import type { Service } from '../service.ts';
import type { Clock } from '../../base/clock.ts';
import { ConfigurationError } from '../../base/errors.ts';
import type { QueueEndpoint } from '../queue-endpoint.ts';

interface Setup {
  readonly clock: Clock;
  readonly random: () => number;
}

/** A class of the SDK, created with the SDK's own settings or with these here. */
type ServiceClient = AnyClient & (new (config: object) => object);

type AnySend = (...request: never[]) => Promise<object>;

/** A service, and how its requests are sent once the environment has been read. */
export interface Wanted<Send extends AnySend> {
  /** The public function that errors name. */
  readonly caller: string;
  readonly service: Service;
  /** The address of the requests. Default: the service's in the configured region. */
  readonly endpoint?: QueueEndpoint;
  readonly sdk: SdkClient;
  direct(setup: DirectSetup): Send;
  throughSdk(client: object): Send;
}

/** The client of AWS's SDK for environments that need it. */
export interface SdkClient {
  /** Such as `@aws-sdk/client-sqs`. */
  readonly package: string;
  /** The class with a method for each operation, such as `SQS`. */
  readonly name: string;
  /** Default: the SDK's. */
  readonly maxAttempts?: number;
  /** The most connections. Default 100. */
  readonly maxSockets?: number;
}

/** Longer than the longest poll. */
const LONGEST_SILENCE_MS = 25_000;

/**
 * Sends requests as the environment says, read at the first request. The SDK is not used in an ordinary
 * environment, except for credentials that are not in it. Otherwise the client's package must be installed.
 */
export function senderFromEnvironment<Send extends AnySend>(wanted: Wanted<Send>, setup: Setup): Send {
  let making: Promise<Send> | undefined;
  const send = async (...request: never[]): Promise<object> => {
    making ??= make(wanted, setup).catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return (await making)(...request);
  };
  return send as Send;
}

async function make<Send extends AnySend>(wanted: Wanted<Send>, setup: Setup): Promise<Send> {
  const { service, endpoint: given } = wanted;
  const configured = process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || undefined;
  const named = given?.region ?? configured;
  const choice: Partial<Pick<Choice & { transport: 'direct' }, 'endpoint'>> & ReturnType<typeof chooseFor> =
    given === undefined ? choose(service, process.env) : chooseFor(service, given.url, process.env);
  if (choice.transport === 'sdk') {
    tellThroughSdk(service.title, choice.why);
    return wanted.throughSdk(await sdkClient(wanted, named, choice.why, setup));
  }
  const why = 'The environment has no access key';
  const credentialsClient = async (): Promise<AnyClient> => {
    const name = '@aws-sdk/client-dynamodb'; // any client finds the same credentials
    return (await loaded<{ readonly DynamoDBClient: AnyClient }>(wanted, name, why)).DynamoDBClient;
  };
  const found = sdkSettings(credentialsClient, {
    clock: setup.clock,
    silent: service.noCredentials,
    ...(configured === undefined && named !== undefined && { region: named }),
  });
  const isChain = choice.credentials === 'sdk';
  const url = (choice.endpoint ?? (given as QueueEndpoint)).url;
  debugOnce(`${service.title} without AWS's SDK${isChain ? ', but for credentials' : ''}: ${url.origin}`);
  return wanted.direct({
    ...setup,
    endpoint: { url, region: choice.endpoint?.region ?? named ?? (await regionOfFiles(wanted, found)) },
    credentials: isChain ? found.credentials : () => environmentCredentials(process.env),
    maxAttempts: choice.maxAttempts,
    userAgent: choice.userAgent,
  });
}

async function regionOfFiles(
  { caller }: Pick<Wanted<never>, 'caller'>,
  settings: SdkSettings,
): Promise<string> {
  try {
    return await settings.region();
  } catch (cause) {
    throw new ConfigurationError(
      `${caller}: No AWS region in \`queueUrl\` or the environment: set AWS_REGION`,
      { cause },
    );
  }
}

/** Creates a client of AWS's SDK with time limits. */
async function sdkClient(
  wanted: Pick<Wanted<never>, 'caller' | 'service' | 'endpoint' | 'sdk'>,
  region: string | undefined,
  why: string,
  { clock }: Pick<Setup, 'clock'>,
): Promise<object> {
  const { sdk, endpoint, service } = wanted;
  const { [sdk.name]: Client } = await loaded<Readonly<Record<string, ServiceClient>>>(
    wanted,
    sdk.package,
    why,
  );
  if (Client === undefined) {
    throw new ConfigurationError(
      `${wanted.caller}: Expected ${sdk.package} to export \`${sdk.name}\`: install its version 3`,
    );
  }
  const { credentials } = sdkSettings(() => Promise.resolve(Client), {
    clock,
    silent: service.noCredentials,
    ...(region !== undefined && { region }),
  });
  const agent = { keepAlive: true, noDelay: true, maxSockets: sdk.maxSockets ?? 100 };
  return withoutVersionWarning(
    () =>
      new Client({
        ...(endpoint !== undefined && {
          endpoint: endpoint.url.origin, // the default, but given to avoid a warning
          useFipsEndpoint: false, // the host may be a FIPS endpoint
          useDualstackEndpoint: false,
        }),
        ...(region !== undefined && { region }),
        ...(sdk.maxAttempts !== undefined && { maxAttempts: sdk.maxAttempts }),
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

async function loaded<Module>(
  { caller }: Pick<Wanted<never>, 'caller'>,
  name: string,
  why: string,
): Promise<Module> {
  try {
    return await loadPackage<Module>(name);
  } catch (cause) {
    throw new ConfigurationError(
      `${caller}: ${why}, and ${name} was not found: \`npm install ${name}\`, or pass a \`client\``,
      { cause },
    );
  }
}
