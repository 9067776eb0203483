import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildLambdaFunction } from '../../../scripts/lambda-function.ts';
import { runFolder } from './sam-cli.ts';

/** The folder with the monitor's code, bundled as for the package. */
export async function monitorFunction(): Promise<string> {
  const folder = join(runFolder(), 'monitor-function');
  if (!existsSync(folder)) await buildLambdaFunction('packages/cdk/src/monitor-function.ts', folder);
  return folder;
}

/** A folder below which code finds the AWS SDK, as it does in Lambda's runtimes, and no other package. */
export async function folderWithSdk(): Promise<string> {
  const folder = join(runFolder(), 'with-sdk');
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(resolve('node_modules/@aws-sdk'), join(folder, 'node_modules', '@aws-sdk'));
  return folder;
}
