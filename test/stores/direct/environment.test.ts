import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { type Choice, choose, type Environment } from '../../../src/aws/environment.ts';
import { DYNAMODB } from '../../../src/stores/dynamodb/dynamodb-service.ts';

/** As Lambda sets it. */
const LAMBDA = {
  AWS_REGION: 'eu-central-1',
  AWS_DEFAULT_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'ASIA0000000000000000',
  AWS_SECRET_ACCESS_KEY: 'a-secret',
  AWS_SESSION_TOKEN: 'a-token',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
  AWS_LAMBDA_FUNCTION_NAME: 'orders',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_XRAY_DAEMON_ADDRESS: '169.254.79.129:2000',
  NODE_PATH: '/opt/nodejs/node_modules:/var/runtime/node_modules',
};
const REGIONAL = 'https://dynamodb.eu-central-1.amazonaws.com/';

function chosen(more: Environment, ...files: string[]): Choice {
  return choose(DYNAMODB, { ...LAMBDA, ...more }, (file) => files.includes(file));
}

/** What is chosen, for a table. */
function shown(choice: Choice): unknown {
  if (choice.transport === 'sdk') return choice.why;
  const { endpoint, credentials, maxAttempts } = choice;
  return `${endpoint.url.href} ${endpoint.region} ${credentials} ${maxAttempts}`;
}

describe('The environment of a Lambda function', () => {
  it('is plain', () => {
    expect(shown(chosen({}))).toBe(`${REGIONAL} eu-central-1 environment 4`);
  });

  it.each([
    [{ AWS_REGION: 'cn-north-1' }, 'https://dynamodb.cn-north-1.amazonaws.com.cn/ cn-north-1 environment 4'],
    [
      { AWS_REGION: 'us-gov-west-1', AWS_USE_FIPS_ENDPOINT: 'true' },
      'https://dynamodb.us-gov-west-1.amazonaws.com/ us-gov-west-1 environment 4',
    ],
    [
      { AWS_USE_DUALSTACK_ENDPOINT: 'true' },
      'https://dynamodb.eu-central-1.api.aws/ eu-central-1 environment 4',
    ],
    [{ AWS_ENDPOINT_URL: 'http://localhost:4566' }, 'http://localhost:4566/ eu-central-1 environment 4'],
    [
      { AWS_ENDPOINT_URL: 'http://localhost:4566', AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:8000' },
      'http://localhost:8000/ eu-central-1 environment 4',
    ],
    [
      { AWS_ENDPOINT_URL: 'http://localhost:4566', AWS_ENDPOINT_URL_DYNAMODB: '' },
      'http://localhost:4566/ eu-central-1 environment 4',
    ],
    [
      { AWS_ENDPOINT_URL: 'http://localhost:4566', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
      `${REGIONAL} eu-central-1 environment 4`,
    ],
    [{ AWS_ENDPOINT_URL_SQS: 'http://localhost:4566' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_MAX_ATTEMPTS: '1' }, `${REGIONAL} eu-central-1 environment 1`],
    [{ AWS_MAX_ATTEMPTS: '' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_RETRY_MODE: 'standard' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_ACCOUNT_ID_ENDPOINT_MODE: 'preferred' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_PROFILE: '' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ HTTP_PROXY: 'http://proxy:3128', no_proxy: 'x' }, `${REGIONAL} eu-central-1 environment 4`],
    [
      { AWS_CA_BUNDLE: '/ca.pem', HTTPS_PROXY: 'http://proxy:3128', AWS_ENDPOINT_URL: 'http://localhost' },
      'http://localhost/ eu-central-1 environment 4',
    ],
  ])('is plain with %j', (more, expected) => {
    expect(shown(chosen(more))).toBe(expected);
  });

  it.each([
    [{ AWS_SESSION_TOKEN: undefined }, 'environment'],
    [{ AWS_ACCESS_KEY_ID: undefined }, 'sdk'],
    [{ AWS_SECRET_ACCESS_KEY: '' }, 'sdk'],
    [
      {
        AWS_ACCESS_KEY_ID: undefined,
        AWS_SECRET_ACCESS_KEY: undefined,
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9001/2021-08-23/credentials',
      },
      'sdk',
    ],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9001' }, 'environment'],
    [{ AWS_WEB_IDENTITY_TOKEN_FILE: '/token' }, 'environment'],
  ])('with %j has credentials of: %s', (more, credentials) => {
    expect(chosen(more)).toMatchObject({ transport: 'direct', credentials });
  });

  it.each([
    [{ AWS_REGION: undefined }, 'AWS_REGION is not set'],
    [{ AWS_REGION: '' }, 'AWS_REGION is not set'],
    [{ AWS_REGION: 'fips-us-east-1' }, 'AWS_REGION is of no known partition of AWS'],
    [{ AWS_REGION: 'mars-north-1' }, 'AWS_REGION is of no known partition of AWS'],
    [{ AWS_PROFILE: 'dev' }, "AWS_PROFILE is set to what AWS's SDK has to read"],
    [{ AWS_USE_FIPS_ENDPOINT: 'TRUE' }, "AWS_USE_FIPS_ENDPOINT is set to what AWS's SDK has to read"],
    [
      { AWS_USE_FIPS_ENDPOINT: 'true', AWS_ENDPOINT_URL: 'http://localhost' },
      'AWS_ENDPOINT_URL is set together with FIPS or dual stack',
    ],
    [
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://user:secret@localhost' },
      'AWS_ENDPOINT_URL_DYNAMODB and AWS_REGION are no plain endpoint and region',
    ],
    [
      { AWS_ACCOUNT_ID_ENDPOINT_MODE: 'required' },
      "AWS_ACCOUNT_ID_ENDPOINT_MODE is set to what AWS's SDK has to read",
    ],
    [{ AWS_RETRY_MODE: 'adaptive' }, "AWS_RETRY_MODE is set to what AWS's SDK has to read"],
    [{ AWS_RETRY_MODE: 'legacy' }, "AWS_RETRY_MODE is set to what AWS's SDK has to read"],
    [{ AWS_DEFAULTS_MODE: 'auto' }, "AWS_DEFAULTS_MODE is set to what AWS's SDK has to read"],
    ...['0', '-1', 'many', '3.5', '1e3', ' 3', '1000'].map(
      (text) => [{ AWS_MAX_ATTEMPTS: text }, 'AWS_MAX_ATTEMPTS is no number from 1 up'] as const,
    ),
    [{ HTTPS_PROXY: 'http://user:secret@proxy:3128' }, 'HTTPS_PROXY is set'],
    [{ https_proxy: 'http://user:secret@proxy:3128' }, 'https_proxy is set'],
    [{ HTTP_PROXY: 'http://proxy', AWS_ENDPOINT_URL: 'http://localhost' }, 'HTTP_PROXY is set'],
    [{ AWS_CA_BUNDLE: '/ca.pem' }, 'AWS_CA_BUNDLE is set'],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED is set'],
  ])('is left to the SDK with %j, without a secret in the reason', (more, why) => {
    expect(chosen(more)).toEqual({ transport: 'sdk', why });
  });
});

describe('A shared configuration file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'shared-files-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [{ HOME: '/home/a' }, '/home/a/.aws/config'],
    [{ HOME: '/home/a' }, '/home/a/.aws/credentials'],
    [{ HOME: '', USERPROFILE: '/users/a' }, '/users/a/.aws/config'],
    [{ HOME: '/home/a', AWS_CONFIG_FILE: '/etc/aws' }, '/etc/aws'],
    [{ HOME: '/home/a', AWS_SHARED_CREDENTIALS_FILE: '~/keys' }, '/home/a/keys'],
  ])('is for the SDK to read, with %j: %s', (more, file) => {
    expect(chosen(more, file)).toEqual({
      transport: 'sdk',
      why: `There is ${file}, which AWS's SDK has to read`,
    });
    expect(chosen(more, `${file}-of-another-name`)).toMatchObject({ transport: 'direct' });
  });

  it('counts if there is something in it, or if nobody can tell', () => {
    const none = { AWS_CONFIG_FILE: path.join(folder, 'none'), AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
    const of = (AWS_CONFIG_FILE: string): string =>
      choose(DYNAMODB, { ...LAMBDA, ...none, AWS_CONFIG_FILE }).transport;
    const [empty, full] = [path.join(folder, 'empty'), path.join(folder, 'full')];
    writeFileSync(empty, '');
    writeFileSync(full, '[default]');
    expect([of(none.AWS_CONFIG_FILE), of('/dev/null'), of(empty)]).toEqual(['direct', 'direct', 'direct']);
    expect([of(full), of(folder), of('nul\0byte'), of('/dev/zero')]).toEqual(['sdk', 'sdk', 'sdk', 'sdk']);
  });

  it('is not there where nobody can look, as below a file, nor for a user who has no home', async () => {
    const file = path.join(folder, 'no-folder');
    writeFileSync(file, '');
    expect(choose(DYNAMODB, { ...LAMBDA, HOME: file }).transport).toBe('direct');
    jest.unstable_mockModule('node:os', () => ({
      homedir() {
        throw new Error('uv_os_homedir returned ENOENT'); // as Node does
      },
    }));
    await jest.isolateModulesAsync(async () => {
      const homeless = await import('../../../src/aws/environment.ts');
      expect(homeless.choose(DYNAMODB, LAMBDA).transport).toBe('direct');
    });
    jest.unstable_unmockModule('node:os');
  });
});

describe('Where requests are direct, the SDK', () => {
  const before = { ...process.env };
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });

  /** Any of these in any mixture, often none. */
  const values: Readonly<Record<string, readonly string[]>> = {
    AWS_REGION: ['us-east-1', 'us-gov-east-1', 'cn-northwest-1', 'eusc-de-east-1', 'local', 'fips-us-east-1'],
    AWS_DEFAULT_REGION: ['us-west-2'],
    AWS_USE_FIPS_ENDPOINT: ['true', 'false', 'TRUE', ''],
    AWS_USE_DUALSTACK_ENDPOINT: ['true', 'false', '1', ''],
    AWS_ENDPOINT_URL: ['http://localhost:4566', 'https://dynamodb.us-east-1.api.aws', 'localhost'],
    AWS_ENDPOINT_URL_DYNAMODB: [
      'http://127.0.0.1:8000/',
      'https://a.example:8443',
      'https://a.example:443',
      '',
    ],
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: ['true', 'false', 'TRUE', ''],
    AWS_MAX_ATTEMPTS: ['1', '7', '0', '5x', ''],
    AWS_RETRY_MODE: ['standard', 'adaptive', ''],
    AWS_ACCOUNT_ID_ENDPOINT_MODE: ['preferred', 'disabled', 'required'],
    AWS_SESSION_TOKEN: ['a-token', ''],
  };
  const environments = fc.record(
    Object.fromEntries(
      Object.entries(values).map(([name, some]) => [
        name,
        fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.constantFrom(...some)),
      ]),
    ),
  );

  it('would send them to the same endpoint, signed for the same region, as often', async () => {
    let direct = 0;
    await fc.assert(
      fc.asyncProperty(environments, async (drawn) => {
        const environment: Environment = {
          ...LAMBDA,
          ...drawn,
          AWS_REGION: drawn['AWS_REGION'] ?? 'us-east-2',
        };
        const choice = choose(DYNAMODB, environment, () => false);
        if (choice.transport === 'sdk') return;
        direct += 1;
        for (const name of [...Object.keys(LAMBDA), ...Object.keys(values)]) delete process.env[name];
        for (const [name, value] of Object.entries(environment)) {
          if (value !== undefined) process.env[name] = value;
        }
        expect(await sentByTheSdk()).toEqual({
          url: choice.endpoint.url.href,
          region: choice.endpoint.region,
          maxAttempts: choice.maxAttempts,
        });
      }),
      { numRuns: 200 },
    );
    expect(direct).toBeGreaterThan(40);
  });

  async function sentByTheSdk(): Promise<unknown> {
    let sent: SentRequest | undefined;
    const client = new DynamoDB({
      requestHandler: {
        handle: async (request: SentRequest) => {
          sent = request;
          throw new Error('not sent');
        },
      },
      retryStrategy: { mode: 'none', retry: (next: (args: unknown) => unknown, args: unknown) => next(args) },
    } as never);
    await expect(client.listTables()).rejects.toThrow('not sent');
    const { protocol = '', hostname = '', port, path: to = '', headers } = sent as unknown as SentRequest;
    const [, region] =
      /Credential=[^/]+\/\d+\/([^/]+)\/dynamodb\//.exec(headers['authorization'] ?? '') ?? [];
    const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${to}`);
    return { url: url.href, region, maxAttempts: await client.config.maxAttempts() };
  }
});

interface SentRequest {
  readonly protocol?: string;
  readonly hostname?: string;
  readonly port?: number;
  readonly path?: string;
  readonly headers: Readonly<Record<string, string>>;
}

describe("The variables that AWS's SDK reads", () => {
  /** Of no consequence for a request that is sent directly, and why. */
  const harmless: Readonly<Record<string, string>> = {
    AWS_BACKUP: 'no variable, but a value of an answer',
    AWS_ACCOUNT_ID: 'only for endpoints of an account, which are not used knowingly',
    AWS_CREDENTIAL_EXPIRATION: 'the access key is read at each sending',
    AWS_DEFAULT_REGION: 'only for AWS_DEFAULTS_MODE',
    AWS_EXECUTION_ENV: 'in the User-Agent',
    AWS_ENABLE_DEFAULT_SOCKET_TIMEOUT_2026: 'both transports have timeouts of their own',
    AWS_LAMBDA_FUNCTION_NAME: 'for a header by which Lambda finds loops; DynamoDB is in none that it finds',
    AWS_LAMBDA_MAX_CONCURRENCY: 'for the same',
    AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA: 'for the same',
    AWS_LAMBDA_BENCHMARK_MODE: 'for the same',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'for a warning of its own',
  };
  /** Of where credentials come from if there is no access key: then the SDK finds them. */
  const ofTheChain = /^AWS_(CONTAINER_|EC2_METADATA_|ROLE_|WEB_IDENTITY_|LOGIN_CACHE_)/;
  const source = readFileSync('src/aws/environment.ts', 'utf8');
  const read = new Set(
    [source, readFileSync('src/aws/environment-credentials.ts', 'utf8')].flatMap((text) =>
      text.match(/\bAWS_[A-Z0-9_]+\b/g),
    ),
  );

  it('are all known: a new one is to be looked at, and put into the list', () => {
    const known = (name: string): boolean =>
      read.has(name) || Object.hasOwn(harmless, name) || ofTheChain.test(name);
    expect(variablesOfTheSdk().filter((name) => !known(name))).toEqual([]);
    expect(variablesOfTheSdk()).toContain('AWS_MAX_ATTEMPTS');
  });

  it('are no longer in the lists when the SDK has given them up', () => {
    const variables = variablesOfTheSdk();
    expect(Object.keys(harmless).filter((name) => !variables.includes(name))).toEqual([]);
  });
});

/** By the name of a variable, in the code of the client and all that it depends on. */
function variablesOfTheSdk(): string[] {
  const packages = new Set<string>();
  const names = new Set<string>();
  const visit = (name: string): void => {
    const folder = path.join('node_modules', name);
    if (packages.has(name) || !existsSync(folder)) return;
    packages.add(name);
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/dist-cjs\/.*(?<!browser|native)\.js$/.test(file)) continue;
      const text = readFileSync(path.join(folder, file), 'utf8');
      for (const [, found = ''] of text.matchAll(/["'`.](AWS_[A-Z0-9_]*[A-Z0-9])\b/g)) names.add(found);
    }
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
      dependencies?: object;
    };
    Object.keys(manifest.dependencies ?? {}).forEach(visit);
  };
  visit('@aws-sdk/client-dynamodb');
  return [...names].sort();
}
