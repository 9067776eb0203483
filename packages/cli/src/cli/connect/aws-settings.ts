import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import type { ProcessIo } from '../process-io.ts';

/** The services that commands call, as AWS's variables for endpoints call them. */
export type Service = 'CLOUDWATCH' | 'DYNAMODB' | 'SQS' | 'LAMBDA' | 'IAM' | 'EVENTBRIDGE';

type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string };

/** What is told to a client of AWS's SDK; it finds the rest out by itself, as from the profile. */
export interface AwsSettings {
  readonly region?: string;
  readonly profile?: string;
  readonly endpoint?: string;
  readonly credentials?: Credentials;
}

/**
 * Region, profile and endpoint as AWS's CLI takes them: the option, then the service's variable, then the general one. An
 * emulator on this machine needs neither region nor credentials, so it gets some where there are none.
 */
export function awsSettings(
  service: Service,
  { region, profile, endpointUrl }: ConnectionOptions,
  { env }: Pick<ProcessIo, 'env'>,
  queueUrl?: string,
): AwsSettings {
  const variable = (name: string): string | undefined => env[name] || undefined;
  const endpoint =
    endpointUrl ??
    (variable('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true'
      ? undefined
      : (variable(`AWS_ENDPOINT_URL_${service}`) ?? variable('AWS_ENDPOINT_URL'))) ??
    (queueUrl !== undefined && isLocal(queueUrl) ? new URL(queueUrl).origin : undefined);
  // AWS_DEFAULT_REGION is what AWS's CLI reads; the SDK for JavaScript does not.
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

/** What was taken where nothing was given, for a person; undefined if nothing was. */
export function dummiesOf({ endpoint = '', region, credentials }: AwsSettings): string | undefined {
  if (credentials === undefined) return undefined;
  // Not all of the URL: it may hold a password.
  return `${new URL(endpoint).origin} is on this machine: region ${region} and made-up credentials are used.`;
}

const DUMMY: Credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Whether a URL is of this machine. */
export function isLocal(url: string | undefined): boolean {
  if (url === undefined || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname);
}

/** Whether anything names credentials: whoever looks for them where there are none waits for an EC2 machine's. */
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
