import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { relativeTargets } from '../../scripts/release/absolute-links.ts';
import { packedPackage } from '../../scripts/release/packed-package.ts';
import { quickStartOf } from '../../scripts/release/quick-start.ts';
import { copyRepository, MADE_UP, packCopy, type PublishedPackage } from '../support/repository-copy.ts';

const MODULES = ['esm', 'cjs'].flatMap((build) =>
  ['js', 'd.ts'].map((ending) => new RegExp(`^dist/${build}/([a-z0-9-]+/)*[a-z0-9-]+\\.${ending}$`)),
);
const OF_EACH = [/^package\.json$/, /^README\.md$/, /^LICENSE$/];

interface Expected {
  /** All that is published, of each kind at least one file; a new kind has to be added here. */
  readonly files: readonly RegExp[];
  readonly mostBytes: number;
  readonly mostBytesUnpacked: number;
}

const EXPECTED: Readonly<Record<PublishedPackage, Expected>> = {
  batchlatch: {
    files: [
      ...OF_EACH,
      /^CHANGELOG\.md$/,
      /^dist\/template\.yaml$/,
      ...MODULES,
      /^dist\/cjs\/(package\.json|THIRD-PARTY-LICENSES\.md)$/,
    ],
    mostBytes: 960_000,
    mostBytesUnpacked: 5_000_000,
  },
  'batchlatch-cdk': {
    files: [
      ...OF_EACH,
      ...MODULES,
      /^dist\/cjs\/package\.json$/,
      /^dist\/monitor-function\/index\.mjs$/,
      /^dist\/monitor-function\/THIRD-PARTY-LICENSES\.md$/,
    ],
    mostBytes: 80_000,
    mostBytesUnpacked: 400_000,
  },
  'batchlatch-cli': {
    files: [
      ...OF_EACH,
      /^dist\/cli\/batchlatch\.js$/,
      /^dist\/cli\/function-process\.js$/,
      /^dist\/cli\/[a-zA-Z0-9-]+-[A-Z0-9]{8}\.js$/,
      /^dist\/console-app\/index\.html$/,
      /^dist\/console-app\/assets\/[\w.-]+\.js$/,
      /^dist\/console-app\/assets\/[\w.-]+\.css$/,
      /^dist\/console-function\/index\.mjs$/,
      /^dist\/(cli|console-app|console-function)\/THIRD-PARTY-LICENSES\.md$/,
    ],
    mostBytes: 1_500_000,
    mostBytesUnpacked: 5_000_000,
  },
};
const NAMES = Object.keys(EXPECTED) as PublishedPackage[];

/** A package as it is unpacked. */
interface Unpacked {
  readonly tarball: string;
  readonly library: string;
  readonly files: readonly string[];
}

let folder: string;
let copy: string;
const packages = new Map<string, Unpacked>();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-tarball-'));
  copy = path.join(folder, 'copy');
  await copyRepository(copy, MADE_UP);
  for (const name of NAMES) {
    const tarball = await packCopy(copy, folder, name);
    const library = await unpack(tarball, path.join(folder, name));
    packages.set(name, { tarball, library, files: await filesOf(library) });
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(NAMES)('The tarball of %s', (name) => {
  const { files: expected, mostBytes, mostBytesUnpacked } = EXPECTED[name];

  it('holds what is published, and nothing else', () => {
    const { files } = unpacked(name);
    expect(files.filter((file) => !expected.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(expected.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([]);
  });

  it('holds the same as the tarball that all other tests install, but for addresses', async () => {
    const shared = await unpack(await packedPackage(name), path.join(folder, `shared-${name}`));
    const { files } = unpacked(name);
    expect((await filesOf(shared)).toSorted()).toEqual(files.toSorted());
    // A comment of each module says from which file it was made.
    const withoutPlace = (code: string): string => code.replaceAll(/^\/\/ .*(?=dist\/esm\/)/gm, '// ');
    const isEqual = async (file: string): Promise<boolean> =>
      withoutPlace(await text(name, file)) === withoutPlace(await readFile(path.join(shared, file), 'utf8'));
    const equal = await Promise.all(files.map(isEqual));
    const differing = files.filter((_file, index) => equal[index] === false);
    expect(differing.filter((file) => file !== 'package.json' && file !== 'README.md')).toEqual([]);
  });

  it('has a README whose links lead somewhere without the repository', async () => {
    expect(relativeTargets(await text(name, 'README.md'))).toEqual([]);
  });

  it('names no source map: what is in the package is what runs', async () => {
    const { files } = unpacked(name);
    const modules = files.filter((file) => /\.(js|mjs|css|d\.ts)$/.test(file));
    const texts = await Promise.all(modules.map((file) => text(name, file)));
    expect(modules.filter((_file, index) => texts[index]?.includes('sourceMappingURL='))).toEqual([]);
  });

  it('names no folder of the machine that built it', async () => {
    const { files } = unpacked(name);
    const folders = [folder, process.cwd(), homedir()].filter((place) => place.length > 1);
    const naming: string[] = [];
    for (const file of files) {
      const content = await text(name, file);
      // Without the first slash, as in a path that begins with `../`.
      for (const place of folders) {
        const index = content.indexOf(`${place.slice(1)}/`);
        if (index >= 0) naming.push(`${file}: ${content.slice(Math.max(index - 40, 0), index + 80)}`);
      }
    }
    expect(naming).toEqual([]);
  });

  it(`is smaller than ${mostBytes / 1_000} KB, and than ${mostBytesUnpacked / 1_000} KB unpacked`, async () => {
    const { tarball, library, files } = unpacked(name);
    expect((await stat(tarball)).size).toBeLessThan(mostBytes);
    const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(library, file))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostBytesUnpacked);
  });
});

describe('The tarball of the library', () => {
  it("has README's template", async () => {
    const { template } = quickStartOf(await readFile('README.md', 'utf8'));
    expect(await text('batchlatch', 'dist/template.yaml')).toBe(template);
    expect(template).toMatch(/^Transform: AWS::Serverless-2016-10-31\n/);
  });

  it('has types beside every module', () => {
    const { files } = unpacked('batchlatch');
    const modules = files.filter((file) => /^dist\/(esm|cjs)\/.*\.js$/.test(file));
    expect(modules.length).toBeGreaterThan(500);
    const types = modules.map((file) => file.replace(/\.js$/, '.d.ts'));
    expect(types.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('has a README whose links lead to the files of its version, and leaves that of the repository as it is', async () => {
    const readme = await text('batchlatch', 'README.md');
    expect(relativeTargets(readme)).toEqual([]);
    const { version } = JSON.parse(await text('batchlatch', 'package.json')) as { version: string };
    expect(readme).toContain(`](https://github.com/example/batchlatch/blob/v${version}/docs/options.md)`);
    const images = `https://raw.githubusercontent.com/example/batchlatch/v${version}/docs/images`;
    expect(readme).toContain(` src="${images}/console-light.png"`);
    expect(readme).toContain(` srcset="${images}/console-dark.png"`);
    const repositoryFiles = [...readme.matchAll(/\/batchlatch\/(?:blob\/)?v[\d.]+\/([^)"#\s]+)/g)];
    expect(repositoryFiles.length).toBeGreaterThan(30);
    expect(repositoryFiles.filter(([, file = '']) => !existsSync(file))).toEqual([]);
    expect(await readFile(path.join(copy, 'README.md'), 'utf8')).toBe(await readFile('README.md', 'utf8'));
  });
});

/** Returns the folder of the package. */
async function unpack(tarball: string, into: string): Promise<string> {
  await mkdir(into);
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', into]);
  return path.join(into, 'package');
}

async function filesOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function unpacked(name: PublishedPackage): Unpacked {
  return packages.get(name) ?? { tarball: '', library: '', files: [] };
}

function text(name: PublishedPackage, file: string): Promise<string> {
  return readFile(path.join(unpacked(name).library, file), 'utf8');
}
