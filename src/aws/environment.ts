import { configuredEndpoint, type Endpoint, regionalEndpoint } from './endpoint.ts';
import type { Service } from './service.ts';
import { type Environment, type ReadFile, sharedFileForSdk } from './shared-files.ts';
import type { Credentials } from './signed-headers.ts';

export type { Environment };

export type Choice = (DirectChoice & { readonly endpoint: Endpoint }) | SdkChoice;

type ChoiceFor = DirectChoice | SdkChoice;

interface DirectChoice {
  readonly transport: 'direct';
  /** `environment`: the access key of the environment. `sdk`: credentials that AWS's SDK finds. */
  readonly credentials: 'environment' | 'sdk';
  readonly maxAttempts: number;
  readonly userAgent: string;
}

interface SdkChoice {
  readonly transport: 'sdk';
  readonly why: string;
}

/**
 * Settings that change the requests of AWS's SDK, with the values that the direct transport supports. Unset
 * and empty are always supported. All other values are left to the SDK, even invalid ones.
 */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  AWS_PROFILE: [],
  AWS_USE_FIPS_ENDPOINT: ['true', 'false'],
  AWS_USE_DUALSTACK_ENDPOINT: ['true', 'false'],
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: ['true', 'false'],
  AWS_ACCOUNT_ID_ENDPOINT_MODE: ['preferred', 'disabled'],
  AWS_ENABLE_ENDPOINT_DISCOVERY: ['false', '0'],
  AWS_ENDPOINT_DISCOVERY_ENABLED: ['false', '0'],
  AWS_RETRY_MODE: ['standard', 'legacy'], // the SDK knows no other mode but `adaptive`
  // All of these mean the standard retry mode and a connect timeout; both transports have their own.
  AWS_DEFAULTS_MODE: ['standard', 'in-region', 'cross-region', 'mobile', 'auto', 'legacy'],
  AWS_DISABLE_CLOCK_SKEW_CORRECTION: ['false'],
};

/** Chooses the direct transport if it supports all settings of the environment, else AWS's SDK. */
export function choose(
  service: Pick<Service, 'name' | 'settingName' | 'maxAttempts'>,
  environment: Environment,
  read?: ReadFile,
): Choice {
  const why = settingForSdk(environment) ?? sharedFileForSdk(environment, hasAccessKey(environment), read);
  if (why !== undefined) return sdk(why);
  const endpoint = endpointOf(service, environment);
  if (typeof endpoint === 'string') return sdk(endpoint);
  const choice = directTo(endpoint.url, service.maxAttempts, environment);
  return choice.transport === 'direct' ? { ...choice, endpoint } : choice;
}

/** Chooses the transport for a given address: endpoint settings do not apply, profiles give credentials. */
export function chooseFor(
  service: Pick<Service, 'maxAttempts'>,
  url: URL,
  environment: Environment,
): ChoiceFor {
  const setting = settingForSdk({ ...environment, AWS_PROFILE: '' });
  if (setting !== undefined) return sdk(setting);
  const choice = directTo(url, service.maxAttempts, environment);
  // The SDK prefers a named profile to an access key.
  return choice.transport === 'direct' && environment['AWS_PROFILE']
    ? { ...choice, credentials: 'sdk' }
    : choice;
}

/** Returns the current access key of the environment, so that renewing it there needs no restart. */
export function environmentCredentials(environment: Environment): Credentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    const message = 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are no longer set';
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

/** Returns why the SDK must read a setting of the environment; undefined if none requires it. */
function settingForSdk(environment: Environment): string | undefined {
  const setting = Object.keys(SETTINGS).find((name) => {
    const value = environment[name];
    return value && !SETTINGS[name]?.includes(value);
  });
  return setting && `${setting} has a value that only AWS's SDK supports`;
}

function directTo({ protocol }: URL, usualAttempts: number, environment: Environment): ChoiceFor {
  // The direct transport always verifies certificates. Node disables that only for `0`.
  if (protocol === 'https:' && environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    return sdk('NODE_TLS_REJECT_UNAUTHORIZED is 0');
  }
  // The SDK rejects other values or interprets them differently.
  const attempts = environment['AWS_MAX_ATTEMPTS'] || String(usualAttempts);
  if (!/^[1-9]\d{0,2}$/.test(attempts)) return sdk('AWS_MAX_ATTEMPTS is not an integer from 1 to 999');
  const credentials = hasAccessKey(environment) ? 'environment' : 'sdk';
  const userAgent = userAgentOf(environment);
  return { transport: 'direct', credentials, maxAttempts: Number(attempts), userAgent };
}

function hasAccessKey(environment: Environment): boolean {
  return Boolean(environment['AWS_ACCESS_KEY_ID'] && environment['AWS_SECRET_ACCESS_KEY']);
}

/** Returns the endpoint, or why the direct transport cannot use one. */
function endpointOf(
  { name: service, settingName = service }: Pick<Service, 'name' | 'settingName'>,
  environment: Environment,
): Endpoint | string {
  const region = environment['AWS_REGION'];
  if (!region) return 'AWS_REGION is not set';
  const useFips = environment['AWS_USE_FIPS_ENDPOINT'] === 'true';
  const useDualStack = environment['AWS_USE_DUALSTACK_ENDPOINT'] === 'true';
  const names = [`AWS_ENDPOINT_URL_${settingName.toUpperCase()}`, 'AWS_ENDPOINT_URL'];
  const name = names.find((one) => environment[one]);
  if (name === undefined || environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') {
    const endpoint = regionalEndpoint(service, region, { useFips, useDualStack });
    return endpoint ?? 'AWS_REGION is in no known partition';
  }
  const configured = configuredEndpoint(environment[name] ?? '', region);
  if (configured === undefined) return `${name} or AWS_REGION is not a plain endpoint or region`;
  return useFips || useDualStack ? `${name} is set together with FIPS or dual stack` : configured;
}

/** Characters that AWS's SDK replaces by `-` (UA_VALUE_ESCAPE_REGEX of @aws-sdk/core 3.981.0). */
const ESCAPED = /[^!$%&'*+\-.^_`|~\w#]/g;

/** Ends with the application id, as the SDK's does. Powertools sets it to count its users. */
function userAgentOf(environment: Environment): string {
  const agent = `batchlatch md/nodejs#${process.versions.node}`;
  const appId = environment['AWS_SDK_UA_APP_ID'];
  return appId ? `${agent} app/${appId.replaceAll(ESCAPED, '-')}` : agent;
}
