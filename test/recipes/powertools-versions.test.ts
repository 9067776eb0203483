import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Project } from './project.ts';

const SCOPE = '@aws-lambda-powertools';
const JMESPATH = `${SCOPE}/jmespath`;

/** Where an expression is read, or a function called, otherwise than before, a key changes and its message runs twice. */
const VERSIONS = ['2.1.0', '2.8.0', '2.26.0', '2.30.0', '2.33.1', '2.35.0', '2.36.0'];

/** What a user has beside `batchlatch`, from before the logger knew of JMESPath to the newest. */
const BESIDE: readonly (readonly string[])[] = [
  ['logger@2.10.0', 'jmespath@2.8.0'],
  ['logger@2.20.0', 'metrics@2.21.0', 'tracer@2.20.0', 'jmespath@2.8.0'],
  [
    'logger@2.30.0',
    'metrics@2.30.0',
    'tracer@2.30.0',
    'batch@2.29.0',
    'idempotency@2.30.0',
    'jmespath@2.30.0',
  ],
  ['logger@2.36.0', 'metrics@2.36.0', 'tracer@2.36.0', 'jmespath@2.36.0'],
];

describe('The packed package and other packages of Powertools', () => {
  it.each(BESIDE.map((packages) => [packages]))('install together: %j', async (packages) => {
    const beside = packages.map((name) => `${SCOPE}/${name}`);
    const project = new Project();
    await project.install({ beside, options: ['--package-lock-only'] });
    const { packages: locked } = JSON.parse(
      readFileSync(path.join(project.folder, 'package-lock.json'), 'utf8'),
    ) as { packages: Readonly<Record<string, { readonly version?: string }>> };
    for (const name of beside) {
      const [, named = '', version] = /^(.+)@(.+)$/.exec(name) ?? [];
      expect([named, locked[`node_modules/${named}`]?.version]).toEqual([named, version]);
    }
  });
});

describe('A key that an expression finds', () => {
  let all: Project;
  beforeAll(async () => {
    all = new Project('powertools-versions');
    await all.install({
      beside: VERSIONS.map((version) => `jmespath-${version}@npm:${JMESPATH}@${version}`),
    });
  });

  it('is the same with every version of the interpreter that may be installed', async () => {
    const first = await keysWith(all, VERSIONS[0] as string);
    expect(Object.values(first).filter((key) => key.startsWith('BATCHLATCH_'))).toEqual([]);
    expect(Object.keys(first).length).toBeGreaterThan(90);
    for (const version of VERSIONS) expect([version, await keysWith(all, version)]).toEqual([version, first]);
  });
});

interface Printed {
  /** Where the interpreter was found. */
  readonly interpreter: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** The package is a copy of its own, beside one version of the interpreter. */
async function keysWith(all: Project, version: string): Promise<Printed['keys']> {
  const folder = path.join(all.folder, version);
  const modules = path.join(folder, 'node_modules');
  if (!existsSync(folder)) {
    mkdirSync(path.join(modules, SCOPE), { recursive: true });
    cpSync(path.join(all.folder, 'node_modules/batchlatch'), path.join(modules, 'batchlatch'), {
      recursive: true,
    });
    symlinkSync(path.join(all.folder, `node_modules/jmespath-${version}`), path.join(modules, JMESPATH));
    cpSync(path.join(all.folder, 'keys.mjs'), path.join(folder, 'keys.mjs'));
  }
  const printed = await all.output(process.execPath, [path.join(folder, 'keys.mjs')]);
  const { interpreter, keys } = JSON.parse(printed) as Printed;
  expect(interpreter).toContain(`/jmespath-${version}/`);
  return keys;
}
