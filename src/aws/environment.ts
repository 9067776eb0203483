import { builtIn } from '../claims/built-in.ts';
import { configuredEndpoint, type Endpoint, regionalEndpoint } from './endpoint.ts';
import type { Environment } from './environment-credentials.ts';
import type { Service } from './service.ts';

export { type Environment, environmentCredentials } from './environment-credentials.ts';

/** How requests are made where no client is given. */
export type Choice = (DirectChoice & { readonly endpoint: Endpoint }) | SdkChoice;

/** The same where the endpoint is known. */
export type ChoiceFor = DirectChoice | SdkChoice;

interface DirectChoice {
  readonly transport: 'direct';
  /** `environment`: its access key. `sdk`: whatever AWS's SDK finds. */
  readonly credentials: 'environment' | 'sdk';
  readonly maxAttempts: number;
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
  AWS_RETRY_MODE: ['standard'],
  AWS_DEFAULTS_MODE: [],
  AWS_DISABLE_CLOCK_SKEW_CORRECTION: ['false'],
  AWS_AUTH_SCHEME_PREFERENCE: [],
  AWS_SIGV4A_SIGNING_REGION_SET: [],
  AWS_CREDENTIAL_SCOPE: [],
  AWS_SDK_UA_APP_ID: [],
};

/** What may stand between the process and the endpoint, by the endpoint's protocol. */
const IN_BETWEEN: Readonly<Record<string, readonly string[]>> = {
  'http:': ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'],
  'https:': [
    'HTTPS_PROXY',
    'https_proxy',
    'ALL_PROXY',
    'all_proxy',
    'AWS_CA_BUNDLE',
    'NODE_TLS_REJECT_UNAUTHORIZED',
  ],
};

/**
 * Direct where all that the environment says is understood here, else through AWS's SDK: nothing is guessed. `holdsSettings`
 * tells whether there is a file of this path with anything in it.
 */
export function choose(
  service: Pick<Service, 'name' | 'maxAttempts'>,
  environment: Environment,
  holdsSettings: (file: string) => boolean = isNoEmptyFile,
): Choice {
  const setting = settingForSdk(service.name, environment);
  if (setting !== undefined) return sdk(setting);

  const file = sharedFiles(environment).find(holdsSettings);
  if (file !== undefined) return sdk(`There is ${file}, which AWS's SDK has to read`);

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
  service: Pick<Service, 'name' | 'maxAttempts'>,
  url: URL,
  environment: Environment,
): ChoiceFor {
  const setting = settingForSdk(service.name, { ...environment, AWS_PROFILE: '' });
  if (setting !== undefined) return sdk(setting);
  const choice = directTo(url, service.maxAttempts, environment);
  // The SDK prefers a profile that is named to an access key.
  return choice.transport === 'direct' && isSet(environment, 'AWS_PROFILE')
    ? { ...choice, credentials: 'sdk' }
    : choice;
}

function sdk(why: string): SdkChoice {
  return { transport: 'sdk', why };
}

/** Why a setting of the environment is for the SDK to read. */
function settingForSdk(service: Service['name'], environment: Environment): string | undefined {
  const bearer = `AWS_BEARER_TOKEN_${service.toUpperCase()}`;
  const setting = Object.entries({ ...SETTINGS, [bearer]: [] }).find(
    ([name, values]: [string, readonly string[]]) => {
      const value = environment[name] ?? '';
      return value !== '' && !values.includes(value);
    },
  );
  return setting && `${setting[0]} is set to what AWS's SDK has to read`;
}

function directTo({ protocol }: URL, usualAttempts: number, environment: Environment): ChoiceFor {
  const between = IN_BETWEEN[protocol]?.find((name) => isSet(environment, name));
  if (between !== undefined) return sdk(`${between} is set`);
  const maxAttempts = maxAttemptsOf(usualAttempts, environment);
  if (maxAttempts === undefined) return sdk('AWS_MAX_ATTEMPTS is no number from 1 up');
  const hasKey = isSet(environment, 'AWS_ACCESS_KEY_ID') && isSet(environment, 'AWS_SECRET_ACCESS_KEY');
  return { transport: 'direct', credentials: hasKey ? 'environment' : 'sdk', maxAttempts };
}

/** As a text why there is none for the direct transport. */
function endpointOf(service: Service['name'], environment: Environment): Endpoint | string {
  const region = environment['AWS_REGION'] ?? '';
  if (region === '') return 'AWS_REGION is not set';
  const useFips = environment['AWS_USE_FIPS_ENDPOINT'] === 'true';
  const useDualStack = environment['AWS_USE_DUALSTACK_ENDPOINT'] === 'true';
  const name = [`AWS_ENDPOINT_URL_${service.toUpperCase()}`, 'AWS_ENDPOINT_URL'].find((one) =>
    isSet(environment, one),
  );
  if (name === undefined || environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') {
    const endpoint = regionalEndpoint(service, region, { useFips, useDualStack });
    return endpoint ?? 'AWS_REGION is of no known partition of AWS';
  }
  const configured = configuredEndpoint(environment[name] ?? '', region);
  if (configured === undefined) return `${name} and AWS_REGION are no plain endpoint and region`;
  return useFips || useDualStack ? `${name} is set together with FIPS or dual stack` : configured;
}

/** Undefined for what the SDK does not take, or takes for something else than it looks like. */
function maxAttemptsOf(usual: number, environment: Environment): number | undefined {
  const text = environment['AWS_MAX_ATTEMPTS'] ?? '';
  if (text === '') return usual;
  return /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;
}

/** Where AWS's SDKs and tools keep settings; all of them may be in either file. */
function sharedFiles(environment: Environment): readonly string[] {
  const home = homeIn(environment);
  const named = (name: string, file: string): string => {
    const text = environment[name] ?? '';
    if (text === '') return builtIn('node:path').join(home, '.aws', file);
    return text.startsWith('~/') ? builtIn('node:path').join(home, text.slice(2)) : text;
  };
  return [named('AWS_CONFIG_FILE', 'config'), named('AWS_SHARED_CREDENTIALS_FILE', 'credentials')];
}

function homeIn(environment: Environment): string {
  const named = [environment['HOME'], environment['USERPROFILE']].find((one) => (one ?? '') !== '');
  try {
    return named ?? builtIn('node:os').homedir();
  } catch {
    return '/'; // a container may run as a user that the machine does not know, and who has no home
  }
}

/** Places that nobody can look into: for the SDK there is nothing there. */
const CLOSED = new Set<unknown>(['EACCES', 'ENOTDIR']);

/** Also true where one cannot tell: the SDK has to, then. */
function isNoEmptyFile(file: string): boolean {
  if (file === '/dev/null') return false;
  try {
    const found = builtIn('node:fs').statSync(file, { throwIfNoEntry: false });
    return found !== undefined && !(found.isFile() && found.size === 0);
  } catch (error) {
    return !CLOSED.has((error as NodeJS.ErrnoException).code);
  }
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}
