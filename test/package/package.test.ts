import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDynamoDBEmulator } from '../../local/emulators/dynamodb-emulator.ts';
import { type Consumer, installPacked, packLibrary } from './packed-library.ts';

/** As AWS starts Node in Lambda: what is an ES module alone cannot be required. */
const AS_LAMBDA = ['--no-experimental-require-module'];
/** Declarations, the SDK's among them, are read and not checked: much faster. */
const SKIP_SDK = ['--skipLibCheck'];

/** The entries that need an optional peer dependency, and which. */
const PEER_OF: Readonly<Record<string, string>> = {
  'batchlatch/cdk': 'aws-cdk-lib',
  'batchlatch/jmespath': '@aws-lambda-powertools/jmespath',
  'batchlatch/opentelemetry': '@opentelemetry/api',
  'batchlatch/powertools': '@aws-lambda-powertools/jmespath',
  'batchlatch/s3': '@aws-sdk/client-s3',
};

let folder: string;
/** Without optional peers. */
let bare: Consumer;
let complete: Consumer;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-package-'));
  const tarball = await packLibrary(folder);
  bare = await installPacked(tarball, []);
  complete = await installPacked(tarball, [...new Set(Object.values(PEER_OF)), 'constructs']);
}, 60_000);

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

  it('has a bin that needs nothing beside the package', async () => {
    expect(await bare.bin(['--help'])).toMatch(/^Usage: batchlatch /);
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await bare.bin(['--version'])).toBe(`${version}\n`);
    const service = await startDynamoDBEmulator('dynoxide');
    try {
      const onTable = ['--table', 'claims', '--endpoint-url', service.endpoint, '--json'];
      await bare.bin(['table', 'create', '--yes', ...onTable]);
      const list = await bare.bin(['claims', 'list', '--state', 'parked', ...onTable]);
      expect(JSON.parse(list)).toEqual({ claims: [], next: null });
    } finally {
      await service.stop();
    }
    const doctor = await bare.bin(['doctor', '--template', path.resolve('template.yaml'), '--json']);
    expect(JSON.parse(doctor)).toMatchObject({ findings: expect.any(Array) });
    expect(bare.files).toContain('dist/cli/THIRD-PARTY-LICENSES.md');
  });

  it('holds compiled files and their licenses, and no source maps that lead nowhere', () => {
    expect(bare.files).toContain('dist/cjs/THIRD-PARTY-LICENSES.md');
    expect(bare.files.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(bare.files.filter((file) => /(^|\/)(src|test|local|node_modules)\//.test(file))).toEqual([]);
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
    ['types.mts', 'typescript', ['--module', 'node16']],
    ['types.cts', 'typescript', ['--module', 'node16']],
    ['types.ts', 'typescript', ['--module', 'esnext', '--moduleResolution', 'bundler', ...SKIP_SDK]],
    ['types.ts', 'typescript', ['--module', 'commonjs', '--moduleResolution', 'bundler', ...SKIP_SDK]],
    ['types.ts', 'typescript-api', ['--module', 'commonjs', '--moduleResolution', 'node10', ...SKIP_SDK]],
  ] as const)('is typed for %s of %s with %j', async (file, compiler, options) => {
    await expect(complete.compile(file, compiler, [...options])).resolves.toBeUndefined();
  });
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
