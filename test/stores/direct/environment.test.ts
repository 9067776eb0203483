import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { type Choice, choose, type Environment } from '../../../src/aws/environment.ts';
import { builtIn } from '../../../src/base/built-in.ts';
import { DYNAMODB } from '../../../src/stores/dynamodb/transport.ts';

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

function chosen(more: Environment, files: Readonly<Record<string, string>> = {}): Choice {
  return choose(DYNAMODB, { ...LAMBDA, ...more }, (file) => files[file] ?? '');
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
    [{ AWS_RETRY_MODE: 'legacy' }, `${REGIONAL} eu-central-1 environment 4`],
    ...['standard', 'in-region', 'cross-region', 'mobile', 'auto', 'legacy'].map(
      (mode) => [{ AWS_DEFAULTS_MODE: mode }, `${REGIONAL} eu-central-1 environment 4`] as const,
    ),
    [
      { AWS_USE_FIPS_ENDPOINT: 'false', AWS_USE_DUALSTACK_ENDPOINT: 'false' },
      `${REGIONAL} eu-central-1 environment 4`,
    ],
    [{ AWS_SDK_UA_APP_ID: 'PT/NO-OP/2.35.0/PTEnv/NA' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_AUTH_SCHEME_PREFERENCE: 'sigv4a,sigv4' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_BEARER_TOKEN_DYNAMODB: 'token' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_CA_BUNDLE: '/ca.pem' }, `${REGIONAL} eu-central-1 environment 4`],
    [
      { HTTPS_PROXY: 'http://user:secret@proxy:3128', ALL_PROXY: 'socks://proxy', NODE_USE_ENV_PROXY: '1' },
      `${REGIONAL} eu-central-1 environment 4`,
    ],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, `${REGIONAL} eu-central-1 environment 4`],
    [
      { NODE_TLS_REJECT_UNAUTHORIZED: '0', AWS_ENDPOINT_URL: 'http://localhost' },
      'http://localhost/ eu-central-1 environment 4',
    ],
    [{ AWS_ACCOUNT_ID_ENDPOINT_MODE: 'preferred' }, `${REGIONAL} eu-central-1 environment 4`],
    [{ AWS_PROFILE: '' }, `${REGIONAL} eu-central-1 environment 4`],
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
    [{ AWS_REGION: 'fips-us-east-1' }, 'AWS_REGION is in no known partition'],
    [{ AWS_REGION: 'mars-north-1' }, 'AWS_REGION is in no known partition'],
    [{ AWS_PROFILE: 'dev' }, "AWS_PROFILE has a value that only AWS's SDK supports"],
    [{ AWS_USE_FIPS_ENDPOINT: 'TRUE' }, "AWS_USE_FIPS_ENDPOINT has a value that only AWS's SDK supports"],
    [
      { AWS_USE_FIPS_ENDPOINT: 'true', AWS_ENDPOINT_URL: 'http://localhost' },
      'AWS_ENDPOINT_URL is set together with FIPS or dual stack',
    ],
    [
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://user:secret@localhost' },
      'AWS_ENDPOINT_URL_DYNAMODB or AWS_REGION is not a plain endpoint or region',
    ],
    [
      { AWS_ACCOUNT_ID_ENDPOINT_MODE: 'required' },
      "AWS_ACCOUNT_ID_ENDPOINT_MODE has a value that only AWS's SDK supports",
    ],
    [{ AWS_RETRY_MODE: 'adaptive' }, "AWS_RETRY_MODE has a value that only AWS's SDK supports"],
    [{ AWS_DEFAULTS_MODE: 'fast' }, "AWS_DEFAULTS_MODE has a value that only AWS's SDK supports"],
    [
      { AWS_DISABLE_CLOCK_SKEW_CORRECTION: 'true' },
      "AWS_DISABLE_CLOCK_SKEW_CORRECTION has a value that only AWS's SDK supports",
    ],
    ...['0', '-1', 'many', '3.5', '1e3', ' 3', '1000'].map(
      (text) => [{ AWS_MAX_ATTEMPTS: text }, 'AWS_MAX_ATTEMPTS is not an integer from 1 to 999'] as const,
    ),
    [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED is 0'],
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
    const text = '[default]\nretry_mode = adaptive\n';
    expect(chosen(more, { [file]: text })).toEqual({
      transport: 'sdk',
      why: `${file} sets retry_mode for the default profile`,
    });
    expect(chosen(more, { [`${file}-of-another-name`]: text })).toMatchObject({ transport: 'direct' });
  });

  const KEYS = 'aws_access_key_id = AKIA\naws_secret_access_key = a-secret\naws_session_token=t';
  const NO_KEY = { HOME: '/home/a', AWS_ACCESS_KEY_ID: '' };

  it.each([
    '# retry_mode = adaptive\n; [default]\n',
    'retry_mode = adaptive\n[default]\n',
    '[profile dev]\nretry_mode = adaptive\n[services local]\ndynamodb =\n  endpoint_url = http://localhost:1\n',
    '[default] # mine\nregion = us-east-1\noutput = json\ncli_pager =\n',
    '[profile default]\r\nregion=us-east-1\r\n',
    '[default]\ns3 =\n  max_concurrent_requests = 20\n  max_attempts = 2\noutput = text',
    `[default]\n${KEYS}`,
    '[default]\nsso_session = mine\nsso_account_id = 1\n[sso-session mine]\nsso_region = us-east-1',
    '[default]\nrole_arn = arn:aws:iam::123456789012:role/a\nsource_profile = b\ncredential_process = c',
  ])('changes nothing where it sets nothing that matters: %j', (text) => {
    expect(shown(chosen({ HOME: '/home/a' }, { '/home/a/.aws/config': text }))).toBe(
      `${REGIONAL} eu-central-1 environment 4`,
    );
  });

  it.each([
    ['[default]\nmax_attempts = 2', 'max_attempts'],
    ['[ default ]\nendpoint_url = http://localhost:1', 'endpoint_url'],
    ['[profile "default"]\nregion = us-east-1\nuse_fips_endpoint = true', 'use_fips_endpoint'],
    ['[profile a]\noutput = json\n[default]\n  services = local', 'services'],
    ['[default]\ns3 =\n  a = b\nretry_mode = adaptive', 'retry_mode'],
    ['[default]\nwJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY=', 'something'],
  ])('is for the SDK to read where it is not known to change nothing: %j', (text, setting) => {
    expect(chosen({ HOME: '/home/a' }, { '/home/a/.aws/credentials': text })).toEqual({
      transport: 'sdk',
      why: `/home/a/.aws/credentials sets ${setting} for the default profile`,
    });
  });

  it('is for the SDK to read where it has the credentials, if no access key is in the environment', () => {
    const of = (text: string): unknown => shown(chosen(NO_KEY, { '/home/a/.aws/credentials': text }));
    expect(of(`[default]\n${KEYS}`)).toBe(
      '/home/a/.aws/credentials sets aws_access_key_id for the default profile',
    );
    expect(of(`[other]\n${KEYS}`)).toBe(`${REGIONAL} eu-central-1 sdk 4`);
  });

  it('counts if it sets something, or if nobody can tell', () => {
    const none = { AWS_CONFIG_FILE: path.join(folder, 'none'), AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
    const of = (AWS_CONFIG_FILE: string): string =>
      choose(DYNAMODB, { ...LAMBDA, ...none, AWS_CONFIG_FILE }).transport;
    const [empty, full] = [path.join(folder, 'empty'), path.join(folder, 'full')];
    writeFileSync(empty, '');
    writeFileSync(full, '[default]\nretry_mode = adaptive');
    expect([of(none.AWS_CONFIG_FILE), of('/dev/null'), of(empty)]).toEqual(['direct', 'direct', 'direct']);
    expect([of(full), of(folder), of('nul\0byte'), of('/dev/zero')]).toEqual(['sdk', 'sdk', 'sdk', 'sdk']);
  });

  it('is not there where Node may not look, as with --permission: the SDK could not read it either', () => {
    const denied = Object.assign(new Error('Access to this API has been restricted'), {
      code: 'ERR_ACCESS_DENIED',
    });
    const stat = jest.spyOn(builtIn('node:fs'), 'statSync').mockImplementation(() => {
      throw denied;
    });
    expect(choose(DYNAMODB, { ...LAMBDA, HOME: '/home/a' }).transport).toBe('direct');
    expect(stat).toHaveBeenCalledTimes(2);
    stat.mockRestore();
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
    AWS_RETRY_MODE: ['standard', 'legacy', 'adaptive', ''],
    AWS_DEFAULTS_MODE: ['standard', 'in-region', 'cross-region', 'mobile', 'auto', 'legacy'],
    AWS_AUTH_SCHEME_PREFERENCE: ['sigv4a', 'httpBearerAuth', 'sigv4a,sigv4'],
    AWS_BEARER_TOKEN_DYNAMODB: ['a-bearer-token'],
    AWS_SIGV4A_SIGNING_REGION_SET: ['*'],
    AWS_CREDENTIAL_SCOPE: ['us-west-1'],
    AWS_SDK_UA_APP_ID: ['an-app', 'with spaces/and # "quotes"', 'PT/NO-OP/2.35.0/PTEnv/NA', ''],
    HTTPS_PROXY: ['http://127.0.0.1:1'],
    AWS_CA_BUNDLE: ['/no/such/file.pem'],
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

  it('would send them to the same endpoint, signed for the same region, as often, for the same application', async () => {
    let direct = 0;
    await fc.assert(
      fc.asyncProperty(environments, async (drawn) => {
        const environment: Environment = {
          ...LAMBDA,
          ...drawn,
          AWS_REGION: drawn['AWS_REGION'] ?? 'us-east-2',
        };
        const choice = choose(DYNAMODB, environment, () => '');
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
          retryMode: 'standard',
          app: / app\/\S+$/.exec(choice.userAgent)?.[0].trim(),
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
    const { mode: retryMode } = (await new DynamoDB({}).config.retryStrategy()) as { mode?: string };
    const app = / (app\/\S+)/.exec(headers['user-agent'] ?? '')?.[1];
    return { url: url.href, region, maxAttempts: await client.config.maxAttempts(), retryMode, app };
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
    AWS_AUTH_SCHEME_PREFERENCE: 'DynamoDB and SQS have one scheme',
    AWS_SIGV4A_SIGNING_REGION_SET: 'the same',
    AWS_CREDENTIAL_SCOPE: 'in no endpoint and no signature of DynamoDB and SQS',
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
  const sources = ['environment', 'shared-files'];
  const read = new Set(
    sources.flatMap((name) => readFileSync(`src/aws/${name}.ts`, 'utf8').match(/\bAWS_[A-Z0-9_]+\b/g)),
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
