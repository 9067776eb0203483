import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { relativeTargets } from '../../scripts/release/absolute-links.ts';
import { quickStartOf } from '../../scripts/release/quick-start.ts';
import { copyRepository, MADE_UP, packCopy } from '../support/repository-copy.ts';

/** All that is published, of each kind at least one file; a new kind has to be added here. */
const EXPECTED = [
  /^package\.json$/,
  /^README\.md$/,
  /^CHANGELOG\.md$/,
  /^LICENSE$/,
  /^dist\/template\.yaml$/,
  ...['esm', 'cjs'].flatMap((build) =>
    ['js', 'js.map', 'd.ts', 'd.ts.map'].map(
      (ending) => new RegExp(`^dist/${build}/([a-z0-9-]+/)*[a-z0-9-]+\\.${ending}$`),
    ),
  ),
  /^dist\/src\/([a-z0-9-]+\/)*[a-z0-9-]+\.ts$/,
  /^dist\/cjs\/package\.json$/,
  /^dist\/cli\/batchlatch\.js$/,
  /^dist\/cli\/function-process\.js$/,
  /^dist\/cli\/[a-zA-Z0-9-]+-[A-Z0-9]{8}\.js$/,
  /^dist\/monitor-function\/index\.mjs$/,
  /^dist\/console-app\/index\.html$/,
  /^dist\/console-app\/assets\/[\w.-]+\.js$/,
  /^dist\/console-app\/assets\/[\w.-]+\.css$/,
  ...['cjs', 'cli', 'console-app', 'monitor-function'].map(
    (part) => new RegExp(`^dist/${part}/THIRD-PARTY-LICENSES\\.md$`),
  ),
];
const MOST_BYTES = 2_500_000;
const MOST_BYTES_UNPACKED = 11_100_000;

let folder: string;
let copy: string;
let library: string;
let tarball: string;
let files: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-tarball-'));
  copy = path.join(folder, 'copy');
  library = path.join(folder, 'package');
  await mkdir(library);
  await copyRepository(copy, MADE_UP);
  tarball = await packCopy(copy, folder);
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', folder]);
  files = await filesOf(library);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('The tarball', () => {
  it('holds what is published, and nothing else', () => {
    expect(files.filter((file) => !EXPECTED.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(EXPECTED.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([]);
  });

  it("has README's template", async () => {
    const { template } = quickStartOf(await readFile('README.md', 'utf8'));
    expect(await text('dist/template.yaml')).toBe(template);
    expect(template).toMatch(/^Transform: AWS::Serverless-2016-10-31\n/);
  });

  it('has types and maps beside every module, and its source once', () => {
    const modules = files.filter((file) => /^dist\/(esm|cjs)\/.*\.js$/.test(file));
    expect(modules.length).toBeGreaterThan(500);
    const missing = modules.flatMap((file) => {
      const name = file.replace(/\.js$/, '');
      const source = `${name.replace(/^dist\/(esm|cjs)\//, 'dist/src/')}.ts`;
      const beside = [`${file}.map`, `${name}.d.ts`, `${name}.d.ts.map`, source];
      return beside.filter((needed) => !files.includes(needed));
    });
    expect(missing).toEqual([]);
    expect(files.filter((file) => file.startsWith('dist/src/'))).toHaveLength(modules.length / 2);
  });

  it('has a README whose links lead to the files of its version, and leaves that of the repository as it is', async () => {
    const readme = await text('README.md');
    expect(relativeTargets(readme)).toEqual([]);
    const { version } = JSON.parse(await text('package.json')) as { version: string };
    expect(readme).toContain(`](https://github.com/example/batchlatch/blob/v${version}/docs/options.md)`);
    const images = `https://raw.githubusercontent.com/example/batchlatch/v${version}/docs/images`;
    expect(readme).toContain(` src="${images}/console-light.png"`);
    expect(readme).toContain(` srcset="${images}/console-dark.png"`);
    const repositoryFiles = [...readme.matchAll(/\/batchlatch\/(?:blob\/)?v[\d.]+\/([^)"#\s]+)/g)];
    expect(repositoryFiles.length).toBeGreaterThan(30);
    expect(repositoryFiles.filter(([, file = '']) => !existsSync(file))).toEqual([]);
    expect(await readFile(path.join(copy, 'README.md'), 'utf8')).toBe(await readFile('README.md', 'utf8'));
  });

  it('has maps whose sources are there, each named by its file', async () => {
    const named: string[] = [];
    for (const file of files) {
      if (!/^dist\/(?!src\/).*\.(js|mjs|css|d\.ts)$/.test(file)) continue;
      for (const [, map = ''] of (await text(file)).matchAll(/^\/[/*][#@] sourceMappingURL=(\S+)/gm)) {
        named.push(path.posix.join(path.posix.dirname(file), map));
        expect(await missingSources(file, map)).toEqual([]);
      }
    }
    expect(named.toSorted()).toEqual(files.filter((file) => file.endsWith('.map')).toSorted());
  });

  it('names no folder of the machine that built it', async () => {
    const folders = [folder, process.cwd(), homedir()].filter((name) => name.length > 1);
    const naming: string[] = [];
    for (const file of files) {
      const content = await text(file);
      // Without the first slash, as in a path that begins with `../`.
      for (const name of folders) {
        const index = content.indexOf(`${name.slice(1)}/`);
        if (index >= 0) naming.push(`${file}: ${content.slice(Math.max(index - 40, 0), index + 80)}`);
      }
    }
    expect(naming).toEqual([]);
  });

  it(`is smaller than ${MOST_BYTES / 1_000} KB, and than ${MOST_BYTES_UNPACKED / 1_000} KB unpacked`, async () => {
    expect((await stat(tarball)).size).toBeLessThan(MOST_BYTES);
    const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(library, file))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES_UNPACKED);
  });
});

async function filesOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function text(file: string): Promise<string> {
  return readFile(path.join(library, file), 'utf8');
}

/** The sources of a file's map that are neither in it nor in the package; the map itself, where it is not there. */
async function missingSources(file: string, map: string): Promise<string[]> {
  if (map.startsWith('data:')) return [`${file}: a map within the file`];
  const place = path.posix.join(path.posix.dirname(file), map);
  if (!files.includes(place)) return [place];
  const { sources, sourcesContent = [] } = JSON.parse(await text(place)) as {
    sources: string[];
    sourcesContent?: (string | null)[];
  };
  return sources.filter(
    (source, index) =>
      typeof sourcesContent[index] !== 'string' &&
      !files.includes(path.posix.join(path.posix.dirname(place), source)),
  );
}
