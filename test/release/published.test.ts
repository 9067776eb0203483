import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { quickStartOf } from '../../scripts/release/quick-start.ts';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { sqsEvent } from '../../src/testing/index.ts';
import { INSTALL_TIMEOUT_MS } from '../support/components/describe-with.ts';
import { runCommand } from '../support/components/run-command.ts';
import { startVerdaccio } from '../support/components/verdaccio.ts';
import { copyRepository, MADE_UP, packCopy, type PublishedPackage } from '../support/repository-copy.ts';

const VERSION = '9.8.7';
const NAMES: readonly PublishedPackage[] = ['batchlatch', 'batchlatch-cdk', 'batchlatch-cli'];
/** What README leaves to its reader. */
const PAYMENTS = `import { appendFileSync } from 'node:fs';

export interface Order {
  readonly orderId: string;
}

export const payments = {
  async charge({ orderId }: Order, { idempotencyKey }: { idempotencyKey: string; signal: AbortSignal }) {
    appendFileSync(process.env.CHARGES!, orderId + '\\n');
    return { chargeId: 'charge of ' + idempotencyKey };
  },
};
`;

/** Of CycloneDX, as far as it is read. */
interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly purl: string } };
  readonly components: readonly { name: string; group?: string; hashes?: readonly object[] }[];
}

let folder: string;
let registry: LocalService;
let database: LocalService;
/** Of npm: its cache is empty, so that what is installed comes from the registry. */
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-release-'));
  [registry, database] = await Promise.all([startVerdaccio(), startDynamoDBEmulator()]);
  const userConfig = path.join(folder, 'npmrc');
  await writeFile(
    userConfig,
    `registry=${registry.endpoint}\n${registry.endpoint.slice(5)}:_authToken=any\n`,
  );
  environment = {
    npm_config_userconfig: userConfig,
    npm_config_registry: registry.endpoint,
    npm_config_omit_lockfile_registry_resolved: 'false',
    npm_config_cache: path.join(folder, 'cache'),
  };
}, INSTALL_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all([registry?.stop(), database?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

describe('A release', () => {
  let copy: string;
  const tarballs: string[] = [];
  const npm = (...args: string[]): Promise<string> =>
    runCommand('npm', args, { cwd: copy, env: environment });
  const script = (...args: string[]): Promise<string> =>
    runCommand(process.execPath, ['--import', 'tsx', ...args], { cwd: copy, env: environment });
  const published = (name: PublishedPackage): Promise<unknown> =>
    npm('view', name, '--json').then(JSON.parse, ({ message }: Error) => /E404/.exec(message)?.[0]);

  beforeAll(async () => {
    copy = path.join(folder, 'copy');
    await copyRepository(copy, { ...MADE_UP, version: VERSION });
    // `npm run check` is a step of its own in CI.
    await npm('pkg', 'set', 'scripts.prepublishOnly=node --import tsx scripts/release-check.ts');
  });

  it('is refused as long as something is left to fill in', async () => {
    await expect(npm('publish', '--dry-run')).rejects.toThrow(/9\.8\.7 is not ready .*\n\n {2}CHANGELOG\.md/);
  });

  it('is packed, and tried without being published', async () => {
    const file = path.join(copy, 'CHANGELOG.md');
    const changelog = await readFile(file, 'utf8');
    await writeFile(file, changelog.replace(/^## .*$/m, `## ${VERSION} (2026-11-23)`));
    await script('scripts/release-check.ts');
    for (const name of NAMES) {
      const tarball = await packCopy(copy, folder, name);
      tarballs.push(tarball);
      expect(await npm('publish', tarball, '--dry-run', '--json')).toContain(`${name}@${VERSION}`);
      expect(await published(name)).toBe('E404');
    }
  });

  it.each(NAMES.map((name, index) => [name, index] as const))(
    'has a list of what is in %s',
    async (name, index) => {
      const file = path.join(folder, `${name}.cdx.json`);
      await script('scripts/release-sbom.ts', tarballs[index] ?? '', file);
      const { bomFormat, metadata, components } = JSON.parse(await readFile(file, 'utf8')) as Sbom;
      expect([bomFormat, metadata.component.purl]).toEqual(['CycloneDX', `pkg:npm/${name}@${VERSION}`]);
      const manifest =
        name === 'batchlatch' ? 'package.json' : name.replace('batchlatch-', 'packages/') + '/package.json';
      const { dependencies = {} } = JSON.parse(await readFile(manifest, 'utf8')) as { dependencies?: object };
      const names = components.map(({ name, group }) => (group === undefined ? name : `${group}/${name}`));
      expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
      expect(names).not.toContain('jest');
      expect(components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
    },
  );

  it('is published', async () => {
    for (const [index, name] of NAMES.entries()) {
      await npm('publish', tarballs[index] ?? '');
      expect(await published(name)).toMatchObject({ name, version: VERSION });
    }
  });
});

describe("README's quick start, installed from the registry into an empty folder", () => {
  const order = { orderId: 'order-7', amountCents: 4200 };
  /** Two messages of one order. */
  const event = JSON.stringify(sqsEvent([{ body: order }, { body: order }]));
  let project: string;
  let variables: Record<string, string>;
  const inProject = (command: string, ...args: string[]): Promise<string> =>
    runCommand(command, args, { cwd: project, env: { ...environment, ...variables } });
  const charges = (): Promise<string> => readFile(path.join(project, 'charges.txt'), 'utf8');

  beforeAll(async () => {
    project = path.join(folder, 'project');
    await mkdir(project);
    variables = {
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      CLAIMS_TABLE_NAME: 'claims',
      CHARGES: path.join(project, 'charges.txt'),
    };
    await inProject('npm', 'init', '--yes');
    await inProject('npm', 'install', 'batchlatch');
    await inProject('npm', 'install', '--save-dev', 'esbuild', 'batchlatch-cli');
    const { handler } = quickStartOf(await readFile('README.md', 'utf8'));
    const files = {
      'orders.ts': `import { type Order, payments } from './payments';\n${handler}`,
      'payments.ts': PAYMENTS,
      'event.json': event,
      'env.json': JSON.stringify({ Parameters: variables }),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(path.join(project, name), content);
    const template = path.join(project, 'node_modules/batchlatch/dist/template.yaml');
    await copyFile(template, path.join(project, 'template.yaml'));
    await inProject('npx', 'batchlatch', 'table', 'create', '--table', 'claims', '--yes');
  });

  it('got the version that was published', async () => {
    const lock = JSON.parse(await readFile(path.join(project, 'package-lock.json'), 'utf8'));
    expect(lock.packages['node_modules/batchlatch']).toMatchObject({ version: VERSION });
    expect(lock.packages['node_modules/batchlatch'].resolved).toMatch(registry.endpoint);
    for (const bin of ['batchlatch', 'batchlatch-cli'])
      expect(await inProject('npx', bin, '--version')).toBe(`${VERSION}\n`);
    expect(await inProject('npx', 'batchlatch', '--help')).toMatch(/^Usage: batchlatch /);
  });

  it('has a handler that is one file when bundled, and charges an order once', async () => {
    const bundle = path.join(folder, 'bundle', 'orders.js');
    const options = ['--bundle', '--platform=node', '--target=es2022', `--outfile=${bundle}`];
    await inProject('npx', 'esbuild', 'orders.ts', '--log-level=error', ...options);
    const invoke = `require(${JSON.stringify(bundle)}).handler(${event}, {
      functionName: 'orders', awsRequestId: '1', getRemainingTimeInMillis: () => 30_000,
    }).then((answer) => console.log(JSON.stringify(answer)))`;
    expect(await inProject('node', '-e', invoke)).toMatch(/^\{"batchItemFailures":\[\]\}$/m);
    expect(await charges()).toBe('order-7\n');
  });

  it('has a template in which doctor finds no error', async () => {
    const said = await inProject('npx', 'batchlatch', 'doctor', '--template', 'template.yaml', '--json');
    const { findings, checked } = JSON.parse(said) as {
      findings: { severity: string }[];
      checked: unknown[];
    };
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(checked).not.toEqual([]);
  });

  it('is invoked by its template, and drops what was charged before', async () => {
    await writeFile(path.join(project, 'charges.txt'), '');
    const args = ['invoke', 'OrdersFunction', '--event', 'event.json', '--env-vars', 'env.json'];
    for (const _delivery of ['first', 'second']) {
      expect(JSON.parse(await inProject('npx', 'batchlatch', ...args))).toEqual({ batchItemFailures: [] });
      expect(await charges()).toBe('order-7\n');
    }
  });
});
