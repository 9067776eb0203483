import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// Vite's: a dependency of its own would need a package for every platform in the lock file.
import { rollup } from 'rollup';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { createClaimsTable, emulatorClient } from '../support/claims-table.ts';
import { bundled, unbundled } from './bundled-function.ts';
import { type Consumer, installPacked } from './packed-library.ts';

/** As AWS starts Node in Lambda: what is an ES module alone cannot be required. */
const AS_LAMBDA = ['--no-experimental-require-module'];
/** Declarations, the SDK's among them, are read and not checked: much faster. */
const SKIP_SDK = ['--skipLibCheck'];

/** The entries that need an optional peer dependency, and which. */
const PEER_OF: Readonly<Record<string, string>> = {
  'batchlatch-cdk': 'aws-cdk-lib',
  'batchlatch/avro': 'avsc',
  'batchlatch/jmespath': '@aws-lambda-powertools/jmespath',
  'batchlatch/opentelemetry': '@opentelemetry/api',
  'batchlatch/powertools': '@aws-lambda-powertools/jmespath',
  'batchlatch/protobuf': 'protobufjs',
  'batchlatch/s3': '@aws-sdk/client-s3',
};

/** Peers that no entry imports at run time, and what one of them needs. */
const OTHER_PEERS: readonly string[] = [
  '@aws-sdk/client-glue',
  '@aws-sdk/client-lambda',
  '@aws-sdk/client-sqs',
  '@types/pg',
  'constructs',
  'ioredis',
  'pg',
  'redis',
];

let folder: string;
/** Without optional peers. */
let bare: Consumer;
let complete: Consumer;
/** With the command line, and the library for the handlers that it runs. */
let tools: Consumer;
/** The command line alone, as `npx batchlatch-cli` installs it. */
let alone: Consumer;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-package-'));
  const peers = [...new Set(Object.values(PEER_OF)), ...OTHER_PEERS];
  bare = await installPacked(folder, ['batchlatch', 'batchlatch-cdk'], []);
  complete = await installPacked(folder, ['batchlatch', 'batchlatch-cdk'], peers);
  tools = await installPacked(folder, ['batchlatch-cli', 'batchlatch'], []);
  alone = await installPacked(folder, ['batchlatch-cli'], []);
});

afterAll(() => rm(folder, { recursive: true }));

interface Printed {
  readonly entries: Readonly<Record<string, readonly string[]>>;
  readonly answer: unknown;
}

describe('The packed package', () => {
  it('runs where it is imported, and where it is required as Lambda allows it', async () => {
    const withoutPeers = bare.entries.filter((entry) => !Object.hasOwn(PEER_OF, entry));
    const imported = (await bare.run('esm.mjs', withoutPeers)) as Printed;
    const required = (await bare.run('cjs.cjs', withoutPeers, AS_LAMBDA)) as Printed;
    expect(imported.answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
    expect(Object.keys(imported.entries)).toContain('batchlatch/testing');
    expect(required).toEqual(imported);
  });

  it.each(Object.entries(PEER_OF))('needs a package for %s, and says so: %s', async (entry, peer) => {
    const missing = new RegExp(`Cannot find (package|module) '${peer}`);
    await expect(bare.run('esm.mjs', [entry])).rejects.toThrow(missing);
    await expect(bare.run('cjs.cjs', [entry], AS_LAMBDA)).rejects.toThrow(missing);
  });
});

describe('The packed constructs', () => {
  it('deploy the function and the pages of the installed batchlatch-cli, and none of its commands', async () => {
    const packages = ['batchlatch-cdk', 'batchlatch', 'batchlatch-cli'] as const;
    const team = await installPacked(folder, [...packages], ['aws-cdk-lib', 'constructs']);
    const app = path.join(team.folder, 'app.mjs');
    await writeFile(
      app,
      `import { App, Stack } from 'aws-cdk-lib/core';
      import * as iam from 'aws-cdk-lib/aws-iam';
      import { ClaimsConsole, ClaimsTable } from 'batchlatch-cdk';
      const app = new App({ outdir: 'out', analyticsReporting: false, treeMetadata: false });
      const stack = new Stack(app, 'Shop');
      new ClaimsConsole(stack, 'Console', {
        claims: new ClaimsTable(stack, 'Claims'),
        functionUrl: { read: [iam.User.fromUserArn(stack, 'Sue', 'arn:aws:iam::123456789012:user/sue')] },
      });
      app.synth();`,
    );
    await promisify(execFile)(process.execPath, [app], { cwd: team.folder });
    const out = path.join(team.folder, 'out');
    const assets = (await readdir(out)).filter((name) => name.startsWith('asset.'));
    const contents = await Promise.all(assets.map((name) => readdir(path.join(out, name))));
    expect(contents.map((names) => names.toSorted())).toContainEqual(['console-app', 'console-function']);
  });
});

describe('The packed command line', () => {
  it('loads no command to say its version', async () => {
    const coverage = path.join(folder, 'loaded-by-version');
    expect(await alone.bin(['-V'], { NODE_V8_COVERAGE: coverage })).toMatch(/^\d+\.\d+\.\d+/);
    const loaded = await filesIn(coverage);
    expect(loaded.map((file) => path.basename(file)).filter((file) => !file.startsWith('chunk-'))).toEqual([
      'batchlatch.js',
    ]);
    const sizes = await Promise.all(loaded.map(async (file) => (await stat(new URL(file))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000);
  });

  it('needs nothing beside its package', async () => {
    expect(await alone.bin(['--help'])).toMatch(/^Usage: batchlatch /);
    const { version } = JSON.parse(await readFile('packages/cli/package.json', 'utf8')) as {
      version: string;
    };
    expect(await alone.bin(['--version'])).toBe(`${version}\n`);
    const service = await startDynamoDBEmulator('dynoxide');
    try {
      const onTable = ['--table', 'claims', '--endpoint-url', service.endpoint, '--json'];
      await alone.bin(['table', 'create', '--yes', ...onTable]);
      const coverage = path.join(folder, 'loaded-by-list');
      const list = await alone.bin(['claims', 'list', '--state', 'parked', ...onTable], {
        NODE_V8_COVERAGE: coverage,
      });
      expect(JSON.parse(list)).toMatchObject({ claims: [], next: null });
      const loaded = await filesIn(coverage);
      expect(loaded.length).toBeGreaterThan(3);
      expect(loaded.filter((file) => !file.includes('/batchlatch-cli/dist/cli/'))).toEqual([]);
    } finally {
      await service.stop();
    }
    const doctor = await alone.bin(['doctor', '--template', path.resolve('template.yaml'), '--json']);
    expect(JSON.parse(doctor)).toMatchObject({ findings: expect.any(Array) });
    expect(alone.files).toContain('dist/cli/THIRD-PARTY-LICENSES.md');
  });

  it('works a queue with a handler of the library, and tells it to stop', async () => {
    const service = await startSqsEmulator();
    const environment = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
    const sqs = new SQS({ ...emulatorClientConfig, endpoint: service.endpoint });
    const { QueueUrl } = await sqs.createQueue({ QueueName: 'orders' });
    await sqs.sendMessage({ QueueUrl, MessageBody: '{"id":7}' });
    const file = path.join(tools.folder, 'waiting.mjs');
    await writeFile(
      file,
      `import { createBatchProcessor } from 'batchlatch';
      import { memoryStore } from 'batchlatch/memory';
      import { setTimeout as delay } from 'node:timers/promises';
      export const handler = createBatchProcessor(async ({ body }, { signal }) => {
        console.log('called with', body.id);
        await delay(60_000, undefined, { signal });
      }, { store: memoryStore(), observer: { onEvent: () => undefined } });`,
    );
    const bin = path.join(tools.folder, 'node_modules/batchlatch-cli/dist/cli/batchlatch.js');
    const args = [bin, 'work', file, '--queue-url', QueueUrl ?? '', '--shutdown-timeout', '5s'];
    const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
        if (text.includes('called')) child.kill('SIGTERM');
      });
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(out).toContain('called with 7');
      expect(out).toMatch(/1 received, 0 done, 1 failed\n$/); // it has ended: its signal came from the worker
    } finally {
      child.kill('SIGKILL');
      sqs.destroy();
      await service.stop();
    }
  });

  it('loads TypeScript by tsx where that is there, and says what to install', async () => {
    const project = await mkdtemp(path.join(tools.folder, 'project-'));
    await writeFile(path.join(project, 'package.json'), '{}');
    await writeFile(
      path.join(project, 'typed.ts'),
      `import { createBatchProcessor } from 'batchlatch';
      enum Kind { Order = 'order' }
      export const handler = createBatchProcessor<Kind>(() => undefined);`,
    );
    const bin = path.join(tools.folder, 'node_modules/batchlatch-cli/dist/cli/batchlatch.js');
    const args = [bin, 'work', 'typed.ts', '--queue-url', 'http://127.0.0.1:9/orders'];
    const env = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const told = async (): Promise<string> => {
      const running = promisify(execFile)(process.execPath, args, { cwd: project, env });
      return running.then(
        () => '',
        ({ stderr }: { stderr: string }) => stderr,
      );
    };
    expect(await told()).toMatch(/^Error: Node v\S+ cannot load typed\.ts: .*`npm install tsx`/);
    await mkdir(path.join(project, 'node_modules'));
    await symlink(path.resolve('node_modules/tsx'), path.join(project, 'node_modules/tsx'));
    expect(await told()).toMatch(/^Error: http:\/\/127\.0\.0\.1:9 does not answer: /); // it was loaded
  });
});

describe('Rollup', () => {
  it.each(['es', 'cjs'] as const)('warns of nothing in a bundle of each entry, as %s', async (format) => {
    const files = await Promise.all(['.', 'packages/cdk'].map(filesOfEntries));
    const warnings: string[] = [];
    for (const [entry, file] of files.flat()) {
      const bundle = await rollup({
        input: path.join(bare.folder, 'node_modules', file),
        external: (id) => !path.isAbsolute(id) && !id.startsWith('.'),
        onLog: (level, { message }) => warnings.push(`${entry}: ${level}: ${message}`),
      });
      await bundle.generate({ format, inlineDynamicImports: true });
      await bundle.close();
    }
    expect(warnings).toEqual([]);
  });
});

/** Each entry of the package in this folder, and the file of it that is imported. */
async function filesOfEntries(home: string): Promise<[entry: string, file: string][]> {
  const { name, exports } = JSON.parse(await readFile(path.join(home, 'package.json'), 'utf8')) as {
    name: string;
    exports: Readonly<Record<string, string | { readonly import: { readonly default: string } }>>;
  };
  return Object.entries(exports).flatMap(([entry, file]) =>
    typeof file === 'string' ? [] : [[path.posix.join(name, entry), path.join(name, file.import.default)]],
  );
}

describe('The CommonJS of the packed package', () => {
  it('imports nothing at run time, which runners that give it a context of its own cannot do', async () => {
    const dist = path.join(bare.folder, 'node_modules/batchlatch/dist');
    const importing = async (build: string): Promise<string[]> => {
      const files = bare.files.filter((file) => file.startsWith(`dist/${build}/`) && file.endsWith('.js'));
      const texts = await Promise.all(files.map((file) => readFile(path.join(dist, '..', file), 'utf8')));
      return files.filter((_file, index) => /[^.\w]import\(/.test(texts[index] ?? ''));
    };
    expect(await importing('cjs')).toEqual([]);
    expect(await importing('esm')).not.toEqual([]);
  });
});

describe('The packed package with its optional peers', () => {
  it('has the same exports in both builds', async () => {
    const { entries } = (await complete.run('esm.mjs', complete.entries)) as Printed;
    expect(entries['batchlatch/jmespath']).toEqual(['jmesPath']);
    const required = (await complete.run('cjs.cjs', complete.entries, AS_LAMBDA)) as Printed;
    expect(required.entries).toEqual(entries);
  });

  it('brings the code of the function that its construct deploys', async () => {
    const holds = { files: ['THIRD-PARTY-LICENSES.md', 'index.mjs'], handler: 'function' };
    expect(await complete.run('monitor.mjs', [])).toEqual({ esm: holds, cjs: holds });
  });

  it('works where one process has both builds', async () => {
    expect(await complete.run('both.mjs', [])).toEqual({
      areTwoCopies: true,
      runsAfterTheirPermanentError: 1,
      runsOfAnInexactKey: 0,
      bodiesBehindTheirStep: [{ id: 3 }],
      distinctKeys: 1,
      refused: 'BATCHLATCH_CONFIGURATION',
    });
  });

  it.each([
    ['peers.mts', 'typescript', ['--module', 'node16']],
    ['peers.cts', 'typescript', ['--module', 'node16']],
    ['peers.ts', 'typescript-api', ['--module', 'esnext', '--moduleResolution', 'bundler']],
    ['types.mts', 'typescript', ['--module', 'node16']],
    ['types.cts', 'typescript', ['--module', 'node16']],
    ['types.ts', 'typescript', ['--module', 'esnext', '--moduleResolution', 'bundler', ...SKIP_SDK]],
    ['types.ts', 'typescript', ['--module', 'commonjs', '--moduleResolution', 'bundler', ...SKIP_SDK]],
    ['types.ts', 'typescript-api', ['--module', 'esnext', '--moduleResolution', 'bundler', ...SKIP_SDK]],
  ] as const)('is typed for %s of %s with %j', async (file, compiler, options) => {
    await expect(complete.compile(file, compiler, [...options])).resolves.toBeUndefined();
  });
});

describe('A function of the packed package', () => {
  let service: LocalService;
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    service = await startDynamoDBEmulator('dynoxide');
    const client = emulatorClient(service.endpoint);
    environment = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_ENDPOINT_URL_DYNAMODB: service.endpoint,
      CLAIMS_TABLE_NAME: await createClaimsTable(client),
    };
    client.destroy();
  });
  afterAll(() => service.stop());

  /** All but what converts DynamoDB's JSON for streams and commits, and talks to nobody. */
  const ofTheSdk = /node_modules\/@(aws-sdk|smithy|aws)\/(?!util-dynamodb\/)/;
  const direct = /(^|\/)aws\/direct-sender\./;
  /** Who makes a client is warned on Node 20; who does not is not. */
  const ownClient = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' };
  const ranOnce = { runs: 1, failures: [0, 0], codes: [] };
  let messages = 0;
  /** With a message of its own. */
  const given = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    ...environment,
    MESSAGE_ID: `message-${(messages += 1)}`,
    ...more,
  });

  describe.each(['esm', 'cjs'] as const)('bundled into one file, %s', (format) => {
    it.each(['preset', 'store'])(
      'holds nothing of the SDK, and runs where there are no packages: %s',
      async (program) => {
        const one = await bundled(bare.folder, program, format, folder);
        expect(one.inputs.filter((file) => ofTheSdk.test(file))).toEqual([]);
        expect(one.inputs.filter((file) => direct.test(file))).not.toEqual([]);
        expect(await one.run(given())).toMatchObject(ranOnce);
        expect(await one.run(given({ AWS_LAMBDA_FUNCTION_NAME: 'orders' }))).toMatchObject(ranOnce);
      },
    );

    it("needs AWS's packages beside it for the changes of a table alone", async () => {
      const one = await bundled(bare.folder, 'sqs-and-stream', format, folder, ['@aws-sdk/*']);
      expect(await one.run({})).toMatchObject({ seen: ['message'] });
      const asInLambda = { STREAM: '1', NODE_PATH: path.resolve('node_modules') };
      const seen = ['message', '0.12345678901234567890123'];
      expect(await one.run(asInLambda)).toMatchObject({ seen });
    });

    it('uses the SDK of the runtime where it needs one, and says so where there is none', async () => {
      const one = await bundled(bare.folder, 'preset', format, folder);
      const adaptive = { AWS_RETRY_MODE: 'adaptive' };
      const found = await one.run(given({ ...adaptive, NODE_PATH: path.resolve('node_modules') }));
      expect(found).toMatchObject(ranOnce);
      expect(found.log).toMatchObject([{ level: 'info', message: 'throughSdk', service: 'DynamoDB' }]);
      expect(found.scripts.filter((file) => ofTheSdk.test(file))).not.toEqual([]);
      const {
        runs,
        codes,
        messages: texts,
      } = await one.run(given({ ...adaptive, AWS_LAMBDA_FUNCTION_NAME: 'orders', INIT_MS: '100' }));
      expect([runs, new Set(codes)]).toEqual([0, new Set(['BATCHLATCH_SDK_NOT_FOUND'])]);
      expect(texts[0]).toMatch(
        /^AWS_RETRY_MODE has a value that only AWS's SDK supports, and @aws-sdk\/client-dynamodb was not found/,
      );
    });

    it('brings along all that a client with methods needs', async () => {
      const one = await bundled(bare.folder, 'client-with-methods', format, folder);
      expect(await one.run(given(ownClient))).toMatchObject(ranOnce);
    });

    it('needs the SDK beside it for a client without', async () => {
      const one = await bundled(bare.folder, 'client', format, folder);
      expect((await one.run(given(ownClient))).codes).toContain('BATCHLATCH_SDK_NOT_FOUND');
      const beside = { ...ownClient, NODE_PATH: path.resolve('node_modules') };
      expect(await one.run(given(beside))).toMatchObject(ranOnce);
    });
  });

  it.each(['preset', 'store'])(
    'loads nothing of the SDK where the environment is plain: %s',
    async (program) => {
      const { scripts, ...rest } = await (await unbundled(bare.folder, program)).run(given());
      expect(rest).toMatchObject(ranOnce);
      expect(scripts.filter((file) => ofTheSdk.test(file))).toEqual([]);
      expect(scripts.filter((file) => direct.test(file))).not.toEqual([]);
    },
  );

  it('loads in INIT, in Lambda alone, what the first request will need', async () => {
    const preset = await unbundled(bare.folder, 'preset');
    const inInit = async (more: NodeJS.ProcessEnv): Promise<readonly string[]> =>
      (await preset.run(given({ INIT_MS: '300', ...more }))).scriptsOfInit;
    const lambda = { AWS_LAMBDA_FUNCTION_NAME: 'orders', INIT_MS: '3000' };
    const direct = expect.stringMatching(/\/direct-transport\.js$/);
    const sdk = expect.stringMatching(/@aws-sdk\/client-dynamodb\//);
    expect(await inInit(lambda)).toEqual(expect.arrayContaining([direct]));
    // The SDK is large: on a busy machine it takes more seconds to load.
    const slow = { ...lambda, AWS_RETRY_MODE: 'adaptive', INIT_MS: '8000' };
    expect(await inInit(slow)).toEqual(expect.arrayContaining([sdk]));
    expect(await inInit({})).not.toEqual(expect.arrayContaining([direct]));
  });

  it.each(['client', 'client-with-methods'])(
    'loads nothing of the direct transport with a %s',
    async (program) => {
      const { scripts, ...rest } = await (await unbundled(bare.folder, program)).run(given(ownClient));
      expect(rest).toMatchObject(ranOnce);
      expect(scripts.filter((file) => direct.test(file))).toEqual([]);
      expect(scripts.filter((file) => ofTheSdk.test(file))).not.toEqual([]);
    },
  );
});

describe('npm sbom', () => {
  it('lists what is installed', async () => {
    const { stdout } = await promisify(execFile)('npm', [
      'sbom',
      '--sbom-format',
      'cyclonedx',
      '--omit',
      'dev',
    ]);
    const { components } = JSON.parse(stdout) as { components: { name: string }[] };
    expect(components.map(({ name }) => name)).toContain('p-limit');
  });
});

/** The modules that a process has loaded, by the coverage that V8 wrote when it ended. */
async function filesIn(coverage: string): Promise<string[]> {
  const reports = await readdir(coverage);
  const loaded = await Promise.all(
    reports.map(async (name) => {
      const { result } = JSON.parse(await readFile(path.join(coverage, name), 'utf8')) as {
        result: readonly { readonly url: string }[];
      };
      return result.map(({ url }) => url);
    }),
  );
  return loaded.flat().filter((url) => url.startsWith('file:'));
}
