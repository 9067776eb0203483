import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Deployment, Store } from '../../src/answers.ts';
import { PACKAGE_NAMES, packedPackage } from './repository.ts';
import { node, npm } from './run.ts';

/** The packages as they are published, and the command as `npm create` has it. */
export interface Packed {
  /** Tarballs by the name of their package. */
  readonly tarballs: Readonly<Record<string, string>>;
  /** The folder in which `create-batchlatch` is installed. */
  readonly home: string;
}

/** Packs all packages, or takes the tarballs of the folder that BATCHLATCH_TARBALLS names, and installs `create-batchlatch`. */
export async function pack(folder: string): Promise<Packed> {
  const given = process.env['BATCHLATCH_TARBALLS'];
  const tarballs = given === undefined ? await packAll() : tarballsIn(given);
  const home = path.join(folder, 'create');
  mkdirSync(home);
  writeFileSync(path.join(home, 'package.json'), '{ "private": true }');
  await npm(['install', '--offline', tarballs['create-batchlatch'] ?? ''], home);
  return { tarballs, home };
}

async function packAll(): Promise<Readonly<Record<string, string>>> {
  const tarballs: Record<string, string> = {};
  for (const name of PACKAGE_NAMES) tarballs[name] = await packedPackage(name);
  return tarballs;
}

/** Makes a project in `folder/<name>` by the installed command. Returns how long that took. */
export async function create(
  { home }: Packed,
  folder: string,
  { name, deploy, store }: { readonly name: string; readonly deploy: Deployment; readonly store: Store },
): Promise<number> {
  const started = performance.now();
  const bin = path.join(home, 'node_modules/create-batchlatch/dist/create-batchlatch.js');
  await node([bin, name, '--deploy', deploy, '--store', store], folder);
  return performance.now() - started;
}

/** Has a project install the packed packages instead of those of a registry. */
export function withTarballs(project: string, { tarballs }: Packed): void {
  const file = path.join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string>>;
  for (const group of ['dependencies', 'devDependencies']) {
    for (const [name, tarball] of Object.entries(tarballs)) {
      if (manifest[group]?.[name] !== undefined) manifest[group][name] = `file:${tarball}`;
    }
  }
  writeFileSync(file, JSON.stringify(manifest, undefined, 2));
}

function tarballsIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return Object.fromEntries(
    names.map((name) => [name.replace(/-\d.*$/, ''), path.resolve(folder, name).replaceAll('\\', '/')]),
  );
}
