import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type PackageName, packedPackage } from '../../scripts/release/packed-package.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONSUMERS = fileURLToPath(new URL('consumers/', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: { readonly batchlatch: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A folder into which packed packages and their dependencies were installed, and nothing else. */
export interface Consumer {
  readonly folder: string;
  /** The names that can be imported. */
  readonly entries: readonly string[];
  /** The files of the first package that was installed, by their paths in it. */
  readonly files: readonly string[];
  /** Runs a program of `consumers/` in the folder, and parses what it prints. */
  run(program: string, entries: readonly string[], nodeOptions?: readonly string[]): Promise<unknown>;
  /** Runs the bin of `batchlatch-cli`, and gives what it prints to standard output. Rejects if it ends with another status than 0. */
  bin(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  /** Compiles a program of `consumers/`, its extension changed. Rejects with what the compiler says. */
  compile(file: string, compiler: 'typescript' | 'typescript-api', options: readonly string[]): Promise<void>;
}

/** Installs packed packages, their dependencies and these optional peers without a network, into a new folder of this one. */
export async function installPacked(
  parent: string,
  names: readonly [PackageName, ...PackageName[]],
  peers: readonly string[],
): Promise<Consumer> {
  const folder = await mkdtemp(path.join(parent, 'consumer-'));
  const modules = path.join(folder, 'node_modules');
  const manifests: Manifest[] = [];
  for (const name of names) {
    const unpacked = path.join(folder, 'unpacked');
    await mkdir(unpacked, { recursive: true });
    await mkdir(modules, { recursive: true });
    await run('tar', ['-xzf', await packedPackage(name), '-C', unpacked, '--strip-components', '1']);
    const manifest = JSON.parse(await readFile(path.join(unpacked, 'package.json'), 'utf8')) as Manifest;
    manifests.push(manifest);
    await rename(unpacked, path.join(modules, manifest.name));
  }
  const dependencies = manifests.flatMap((manifest) => Object.keys(manifest.dependencies ?? {}));
  for (const name of new Set([...dependencies, ...peers, '@types/node'])) {
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', name), path.join(modules, name));
  }

  return {
    folder,
    entries: manifests.flatMap(({ name, exports = {} }) =>
      Object.keys(exports)
        .filter((entry) => entry !== './package.json')
        .map((entry) => path.posix.join(name, entry)),
    ),
    files: await readdir(path.join(modules, manifests[0]?.name ?? ''), { recursive: true }),
    async run(program, entries, nodeOptions = []) {
      const copy = path.join(folder, program);
      await copyFile(path.join(CONSUMERS, program), copy);
      const answer = await run(process.execPath, [...nodeOptions, copy, JSON.stringify(entries)], {
        cwd: folder,
      });
      return JSON.parse(answer.stdout);
    },
    async bin(args, env) {
      const { bin } = manifests.find(({ name }) => name === 'batchlatch-cli') ?? {};
      const program = path.join(modules, 'batchlatch-cli', bin?.batchlatch ?? '');
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
