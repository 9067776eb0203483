import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONSUMERS = fileURLToPath(new URL('consumers/', import.meta.url));

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: { readonly batchlatch: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

/** A folder into which the packed library and its dependencies were installed, and nothing else. */
export interface Consumer {
  readonly folder: string;
  /** The names that can be imported. */
  readonly entries: readonly string[];
  /** The files that were published, by their paths in the package. */
  readonly files: readonly string[];
  /** Runs a program of `consumers/` in the folder, and parses what it prints. */
  run(program: string, entries: readonly string[], nodeOptions?: readonly string[]): Promise<unknown>;
  /** Runs the bin, and gives what it prints to standard output. Rejects if it ends with another status than 0. */
  bin(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  /** Compiles a program of `consumers/`, its extension changed. Rejects with what the compiler says. */
  compile(file: string, compiler: 'typescript' | 'typescript-api', options: readonly string[]): Promise<void>;
}

/** Builds and packs the library as `npm publish` would. Returns the path of the tarball in `folder`. */
export async function packLibrary(folder: string): Promise<string> {
  const published = path.join(folder, 'published');
  await mkdir(published);
  for (const name of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE']) {
    await copyFile(path.join(ROOT, name), path.join(published, name));
  }
  await run(process.execPath, ['--import', 'tsx', 'scripts/build.ts', path.join(published, 'dist')], {
    cwd: ROOT,
  });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: published,
  });
  return path.join(folder, /batchlatch-[^"]*\.tgz/.exec(stdout)?.[0] ?? '');
}

/** Installs the tarball, its dependencies and these optional peers without a network. */
export async function installPacked(tarball: string, peers: readonly string[]): Promise<Consumer> {
  const folder = await mkdtemp(path.join(path.dirname(tarball), 'consumer-'));
  const modules = path.join(folder, 'node_modules');
  const library = path.join(modules, 'batchlatch');
  await mkdir(library, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', library, '--strip-components', '1']);

  const manifest = JSON.parse(await readFile(path.join(library, 'package.json'), 'utf8')) as Manifest;
  for (const name of [...Object.keys(manifest.dependencies), ...peers, '@types/node']) {
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', name), path.join(modules, name));
  }

  return {
    folder,
    entries: Object.keys(manifest.exports)
      .filter((entry) => entry !== './package.json')
      .map((entry) => path.posix.join('batchlatch', entry)),
    files: await readdir(library, { recursive: true }),
    async run(program, entries, nodeOptions = []) {
      const copy = path.join(folder, program);
      await copyFile(path.join(CONSUMERS, program), copy);
      const answer = await run(process.execPath, [...nodeOptions, copy, JSON.stringify(entries)], {
        cwd: folder,
      });
      return JSON.parse(answer.stdout);
    },
    async bin(args, env) {
      const program = path.join(library, manifest.bin.batchlatch);
      const answer = await run(process.execPath, [program, ...args], { cwd: folder, env: { ...env } });
      return answer.stdout;
    },
    async compile(file, compiler, options) {
      await copyFile(path.join(CONSUMERS, `${path.parse(file).name}.ts`), path.join(folder, file));
      await writeFile(path.join(folder, 'package.json'), '{}');
      const program = await compilerOf(compiler);
      const flags = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node', ...options];
      try {
        await run(process.execPath, [program, ...flags, file], { cwd: folder });
      } catch (error) {
        throw new Error((error as { stdout: string }).stdout, { cause: error });
      }
    },
  };
}

async function compilerOf(name: string): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: { tsc: string } };
  return path.join(path.dirname(manifest), bin.tsc);
}
