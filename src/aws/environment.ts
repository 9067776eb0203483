import { configuredEndpoint, type Endpoint, regionalEndpoint } from './endpoint.ts';
import type { Service } from './service.ts';
import { type Environment, type ReadFile, sharedFileForSdk } from './shared-files.ts';
import type { Credentials } from './signed-headers.ts';

export type { Environment };

/** How requests are made where no client is given. */
export type Choice = (DirectChoice & { readonly endpoint: Endpoint }) | SdkChoice;

type ChoiceFor = DirectChoice | SdkChoice;

interface DirectChoice {
  readonly transport: 'direct';
  /** `environment`: its access key. `sdk`: whatever AWS's SDK finds. */
  readonly credentials: 'environment' | 'sdk';
  readonly maxAttempts: number;
  readonly userAgent: string;
}

interface SdkChoice {
  readonly transport: 'sdk';
  readonly why: string;
}

/**
 * The settings that change how AWS's SDK makes requests, with the values that the direct transport makes the same of. Unset
 * and empty are such everywhere. Any other value is left to the SDK, also where the SDK would refuse it.
 */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  AWS_PROFILE: [],
  AWS_USE_FIPS_ENDPOINT: ['true', 'false'],
  AWS_USE_DUALSTACK_ENDPOINT: ['true', 'false'],
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: ['true', 'false'],
  AWS_ACCOUNT_ID_ENDPOINT_MODE: ['preferred', 'disabled'],
  AWS_ENABLE_ENDPOINT_DISCOVERY: ['false', '0'],
  AWS_ENDPOINT_DISCOVERY_ENABLED: ['false', '0'],
  AWS_RETRY_MODE: ['standard', 'legacy'], // the SDK knows no third one but `adaptive`
  // Each means the standard retry mode and a time to connect, for which both transports have their own.
  AWS_DEFAULTS_MODE: ['standard', 'in-region', 'cross-region', 'mobile', 'auto', 'legacy'],
  AWS_DISABLE_CLOCK_SKEW_CORRECTION: ['false'],
};

/** Direct where all that the environment says is understood here, else through AWS's SDK: nothing is guessed. */
export function choose(
  service: Pick<Service, 'name' | 'maxAttempts'>,
  environment: Environment,
  read?: ReadFile,
): Choice {
  const why = settingForSdk(environment) ?? sharedFileForSdk(environment, hasAccessKey(environment), read);
  if (why !== undefined) return sdk(why);
  const endpoint = endpointOf(service.name, environment);
  if (typeof endpoint === 'string') return sdk(endpoint);
  const choice = directTo(endpoint.url, service.maxAttempts, environment);
  return choice.transport === 'direct' ? { ...choice, endpoint } : choice;
}

/**
 * The same for requests to an address that is given: what the environment says of endpoints does not count, and AWS's SDK is
 * asked for the credentials of a profile, or of the shared files. Nothing else is read of those.
 */
export function chooseFor(
  service: Pick<Service, 'maxAttempts'>,
  url: URL,
  environment: Environment,
): ChoiceFor {
  const setting = settingForSdk({ ...environment, AWS_PROFILE: '' });
  if (setting !== undefined) return sdk(setting);
  const choice = directTo(url, service.maxAttempts, environment);
  // The SDK prefers a profile that is named to an access key.
  return choice.transport === 'direct' && environment['AWS_PROFILE']
    ? { ...choice, credentials: 'sdk' }
    : choice;
}

/** The access key of the environment as it is now: whoever renews it there needs no restart. */
export function environmentCredentials(environment: Environment): Credentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    const message = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are no longer in the environment';
    throw Object.assign(new Error(message), { name: 'CredentialsProviderError' }); // the SDK's name for it
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

function sdk(why: string): SdkChoice {
  return { transport: 'sdk', why };
}

/** Why a setting of the environment is for the SDK to read. */
function settingForSdk(environment: Environment): string | undefined {
  const setting = Object.keys(SETTINGS).find((name) => {
    const value = environment[name];
    return value && !SETTINGS[name]?.includes(value);
  });
  return setting && `${setting} is set to what AWS's SDK has to read`;
}

function directTo({ protocol }: URL, usualAttempts: number, environment: Environment): ChoiceFor {
  // The direct transport verifies certificates in any case; Node takes `0` alone for a wish not to.
  if (protocol === 'https:' && environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    return sdk('NODE_TLS_REJECT_UNAUTHORIZED is 0');
  }
  // What is no such number the SDK does not take, or takes for something else than it looks like.
  const attempts = environment['AWS_MAX_ATTEMPTS'] || String(usualAttempts);
  if (!/^[1-9]\d{0,2}$/.test(attempts)) return sdk('AWS_MAX_ATTEMPTS is no number from 1 up');
  const credentials = hasAccessKey(environment) ? 'environment' : 'sdk';
  const userAgent = userAgentOf(environment);
  return { transport: 'direct', credentials, maxAttempts: Number(attempts), userAgent };
}

function hasAccessKey(environment: Environment): boolean {
  return Boolean(environment['AWS_ACCESS_KEY_ID'] && environment['AWS_SECRET_ACCESS_KEY']);
}

/** As a text why there is none for the direct transport. */
function endpointOf(service: Service['name'], environment: Environment): Endpoint | string {
  const region = environment['AWS_REGION'];
  if (!region) return 'AWS_REGION is not set';
  const useFips = environment['AWS_USE_FIPS_ENDPOINT'] === 'true';
  const useDualStack = environment['AWS_USE_DUALSTACK_ENDPOINT'] === 'true';
  const names = [`AWS_ENDPOINT_URL_${service.toUpperCase()}`, 'AWS_ENDPOINT_URL'];
  const name = names.find((one) => environment[one]);
  if (name === undefined || environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') {
    const endpoint = regionalEndpoint(service, region, { useFips, useDualStack });
    return endpoint ?? 'AWS_REGION is of no known partition of AWS';
  }
  const configured = configuredEndpoint(environment[name] ?? '', region);
  if (configured === undefined) return `${name} and AWS_REGION are no plain endpoint and region`;
  return useFips || useDualStack ? `${name} is set together with FIPS or dual stack` : configured;
}

/** Characters that AWS's SDK writes as `-` (UA_VALUE_ESCAPE_REGEX of @aws-sdk/core 3.981.0). */
const ESCAPED = /[^!$%&'*+\-.^_`|~\w#]/g;

/** Like the SDK's it ends with the application's id, which Powertools sets to count its users. */
function userAgentOf(environment: Environment): string {
  const agent = `batchlatch md/nodejs#${process.versions.node}`;
  const appId = environment['AWS_SDK_UA_APP_ID'];
  return appId ? `${agent} app/${appId.replaceAll(ESCAPED, '-')}` : agent;
}
