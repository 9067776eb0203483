import { readFileSync } from 'node:fs';
import type { Deployment, Store } from './answers.ts';

/** Versions in generated projects. A test compares them with those that this repository is tested with. */
const VERSIONS = {
  '@types/node': '^20.19.43',
  '@types/pg': '^8.23.1',
  'aws-cdk': '^2.1148.0',
  'aws-cdk-lib': '^2.276.0',
  constructs: '^10.8.1',
  esbuild: '^0.28.2',
  ioredis: '^6.0.0',
  pg: '^8.23.1',
  serverless: '^4.43.0',
  sst: '^4.17.1',
  tsx: '^4.23.15',
  typescript: '^7.0.2',
} as const;

/** Packages that are released with this one, with the same version. */
const OWN = ['batchlatch', 'batchlatch-cdk', 'batchlatch-cli'] as const;

type Used = keyof typeof VERSIONS | (typeof OWN)[number];

const EVERY_PROJECT: readonly Used[] = ['@types/node', 'batchlatch-cli', 'tsx', 'typescript'];

const DEPENDENCIES: Readonly<Record<Store, readonly Used[]>> = {
  dynamodb: ['batchlatch'],
  postgres: ['batchlatch', 'pg'],
  redis: ['batchlatch', 'ioredis'],
};

const TYPES: Readonly<Record<Store, readonly Used[]>> = { dynamodb: [], postgres: ['@types/pg'], redis: [] };

const TOOLS: Readonly<Record<Deployment, readonly Used[]>> = {
  sam: ['esbuild'],
  cdk: ['aws-cdk', 'aws-cdk-lib', 'constructs', 'esbuild'],
  terraform: ['esbuild'],
  sst: ['sst'],
  serverless: ['serverless'],
  ecs: [],
};

/** The claim stores that `npm start` uses on this machine. */
const LOCAL_URLS: Readonly<Record<Exclude<Store, 'dynamodb'>, string>> = {
  postgres: 'postgres://postgres:postgres@127.0.0.1:5432/postgres',
  redis: 'redis://127.0.0.1:6379',
};

/** Returns the text of a project's package.json. */
export function manifestOf(name: string, deploy: Deployment, store: Store): string {
  const constructs: readonly Used[] = deploy === 'cdk' && store === 'dynamodb' ? ['batchlatch-cdk'] : [];
  const manifest = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      test: 'node --import tsx --test orders.test.ts',
      check: 'tsc',
      ...scriptsOf(name, deploy, store),
    },
    dependencies: versionsOf(DEPENDENCIES[store]),
    devDependencies: versionsOf([...EVERY_PROJECT, ...TYPES[store], ...TOOLS[deploy], ...constructs]),
    engines: { node: '>=20.19' },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** Returns all packages that a project may depend on; a project cannot have one of these names. */
export function packagesUsed(): ReadonlySet<string> {
  return new Set([...OWN, ...Object.keys(VERSIONS)]);
}

/** Returns this package's version. The path is the same from `src` and from `dist`. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function scriptsOf(name: string, deploy: Deployment, store: Store): Readonly<Record<string, string>> {
  switch (deploy) {
    case 'sam':
      return {
        start:
          store === 'dynamodb'
            ? 'batchlatch dev'
            : `batchlatch dev --parameter-overrides ClaimsUrl=${LOCAL_URLS[store]} SubnetIds=none ` +
              `SecurityGroupIds=none`,
      };
    case 'cdk':
      return {
        ...(store === 'dynamodb' && {
          start: `cdk synth --quiet && batchlatch dev --template cdk.out/${name}.template.json`,
        }),
        deploy: 'cdk deploy',
      };
    case 'terraform':
      return {
        build:
          'esbuild orders.ts --bundle --minify --platform=node --target=node22 --format=cjs ' +
          '--outfile=build/orders.js',
      };
    case 'sst':
      return { start: 'sst dev', deploy: 'sst deploy --stage production' };
    case 'serverless':
      return { deploy: 'serverless deploy' };
    case 'ecs':
      return { start: 'node --import tsx worker.ts' };
  }
}

function versionsOf(names: readonly Used[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.toSorted().map((name) => [name, name in VERSIONS ? versionOf(name) : `^${ownVersion()}`]),
  );
}

function versionOf(name: string): string {
  return (VERSIONS as Readonly<Record<string, string>>)[name] ?? '';
}
