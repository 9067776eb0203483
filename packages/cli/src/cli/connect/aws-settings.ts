import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import type { ProcessIo } from '../process-io.ts';

/** The services that commands call, named as in AWS's endpoint variables. */
export type Service =
  | 'CLOUDWATCH'
  | 'CLOUDWATCH_LOGS'
  | 'DYNAMODB'
  | 'SQS'
  | 'LAMBDA'
  | 'IAM'
  | 'EVENTBRIDGE';

type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** Settings of an AWS SDK client. The client resolves the rest itself, such as the profile's region. */
export interface AwsSettings {
  readonly region?: string;
  readonly profile?: string;
  readonly endpoint?: string;
  readonly credentials?: Credentials;
}

/**
 * Returns region, profile and endpoint with the precedence of AWS's CLI: option, service's variable, general
 * variable. An emulator on this machine gets a dummy region and dummy credentials if none are set.
 */
export function awsSettings(
  service: Service,
  { region, profile, endpointUrl }: ConnectionOptions,
  { env }: Pick<ProcessIo, 'env'>,
  queueUrl?: string,
): AwsSettings {
  const variable = (name: string): string | undefined => env[name] || undefined;
  const endpointIn = (name: string): string | undefined => asEndpoint(name, variable(name));
  const endpoint =
    endpointUrl ??
    (variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true'
      ? undefined
      : (endpointIn(`AWS_ENDPOINT_URL_${service}`) ?? endpointIn('AWS_ENDPOINT_URL'))) ??
    (queueUrl !== undefined && isLocal(queueUrl) ? new URL(queueUrl).origin : undefined);
  // AWS's CLI reads AWS_DEFAULT_REGION; the SDK for JavaScript does not.
  const named = region ?? variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION');
  const usesDummies = isLocal(endpoint) && profile === undefined;
  const dummyRegion = usesDummies && variable('AWS_PROFILE') === undefined ? 'us-east-1' : undefined;
  const chosenRegion = named ?? dummyRegion;
  return {
    ...(chosenRegion !== undefined && { region: chosenRegion }),
    ...(profile !== undefined && { profile }),
    ...(endpoint !== undefined && { endpoint }),
    ...(usesDummies && !hasCredentials(env) && { credentials: DUMMY }),
  };
}

/** Throws a `UsageError` for anything but a URL: the SDK would say `Invalid URL`, or `UnknownError`. */
function asEndpoint(variable: string, url: string | undefined): string | undefined {
  if (url === undefined || (/^https?:/.test(url) && URL.canParse(url))) return url;
  throw new UsageError(`${variable} must be a URL such as http://127.0.0.1:4566.`);
}

/** Returns a sentence about the dummies in use; undefined if there are none. */
export function dummiesOf({ endpoint = '', region, credentials }: AwsSettings): string | undefined {
  if (credentials === undefined) return undefined;
  // Only the origin: the URL may hold a password.
  return `${new URL(endpoint).origin} is on this machine: region ${region} and made-up credentials are used.`;
}

const DUMMY: Credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Returns whether a URL points to this machine. */
export function isLocal(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname);
}

/** Returns whether credentials are configured. Without any, the SDK would wait for an EC2 instance's. */
function hasCredentials(env: ProcessIo['env']): boolean {
  const named = [
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
    'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  ].some((name) => (env[name] ?? '') !== '');
  return (
    named || existsSync(env['AWS_SHARED_CREDENTIALS_FILE'] || path.join(homedir(), '.aws', 'credentials'))
  );
}
