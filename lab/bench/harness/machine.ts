import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';
import { ROOT } from './paths.ts';

/** Where and with what a run was made. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly node: string;
  /** The commit that was measured, `+` when files had changed since. */
  readonly commit: string;
  readonly date: string;
  readonly packages: Readonly<Record<string, string>>;
}

const PACKAGES = [
  '@aws-lambda-powertools/batch',
  '@aws-lambda-powertools/idempotency',
  '@middy/core',
  '@middy/sqs-partial-batch-failure',
  '@aws-sdk/client-dynamodb',
  'pg',
  '@redis/client',
  'ioredis',
  'sqs-consumer',
  '@aws-sdk/client-sqs',
  'fauxqs',
  '@dynoxide/linux-x64',
  'esbuild',
] as const;

export async function describeMachine(): Promise<Machine> {
  const packages = await Promise.all(PACKAGES.map(async (name) => [name, await versionOf(name)] as const));
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release().split('-')[0] ?? ''}`,
    node: process.version,
    commit: await commit(),
    date: new Date().toISOString().slice(0, 10),
    packages: Object.fromEntries(packages),
  };
}

/** From the manifest beside the package's code; many packages do not export it. */
async function versionOf(name: string): Promise<string> {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      const manifest = await readFile(`${folder}/${name}/package.json`, 'utf8');
      return (JSON.parse(manifest) as { version: string }).version;
    } catch {
      // Not installed in this folder.
    }
  }
  return 'not found';
}

async function commit(): Promise<string> {
  try {
    const run = promisify(execFile);
    const { stdout } = await run('git', ['describe', '--always', '--dirty=+', '--exclude', '*'], {
      cwd: ROOT,
    });
    return stdout.trim();
  } catch {
    return 'unknown';
  }
}
