import { existsSync } from 'node:fs';
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installBuildTools, whyBuildToolsMissing } from './build-tools.ts';
import { installedAt, installOnce } from './cache.ts';
import type { Component } from './component.ts';
import { nodeBinary, type NodeVersion, nodeVersions, whyNodeMissing } from './node.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins, pythonPins } from './pins.ts';
import { installPinned, PYTHON_MISSING } from './python-package.ts';
import { isOnPath, runCommand } from './run-command.ts';

/** AWS's runtime interface emulator is in no package registry by itself; SAM CLI carries it. */
const SAM = pythonPins('sam');
const EMULATOR_FOLDER = `lambda-rie-${SAM.folder}`;
const CLIENT = npmPins('runtime-client');

/** What `startLambdaRuntime` runs: emulator, runtime client, and the lines of Node. */
export const lambdaRuntime: Component = {
  name: 'lambda-runtime',
  version: CLIENT.version,
  purpose: "built functions on AWS's own runtime client, on each Node, without containers",
  whyMissing,
  async install() {
    // One after the other: compiling the client takes every core there is.
    await runtimeInterfaceEmulator();
    await runtimeInterfaceClient();
    for (const version of nodeVersions) await nodeBinary(version);
  },
};

function whyMissing(): string | undefined {
  const wrongPlatform = whyNodeMissing();
  if (wrongPlatform !== undefined) return wrongPlatform;
  if (!existsSync(installedAt(EMULATOR_FOLDER)) && !isOnPath('python3')) return PYTHON_MISSING;
  return existsSync(installedAt(CLIENT.folder)) ? undefined : whyBuildToolsMissing();
}

/** Whether functions can be run on this Node with nothing to be installed first. */
export function isLambdaRuntimeInstalled(node: NodeVersion): boolean {
  const folders = [EMULATOR_FOLDER, CLIENT.folder, npmPins(`node${node}`).folder];
  return folders.every((folder) => existsSync(installedAt(folder)));
}

/** The path of the emulator, a binary that plays Lambda towards one function. */
export async function runtimeInterfaceEmulator(): Promise<string> {
  const folder = await installOnce(EMULATOR_FOLDER, async (folder) => {
    const python = join(folder, 'python');
    const wheel = join(folder, 'wheel');
    await runCommand('python3', ['-m', 'venv', python]);
    // Without what it depends on it takes seconds; SAM CLI's whole environment, most of a minute.
    const list = join(folder, 'sam-cli.txt');
    await writeFile(list, entryOf('aws-sam-cli', await readFile(SAM.path, 'utf8')));
    await installPinned(join(python, 'bin', 'python'), list, '--target', wheel);
    const emulator = join(folder, 'aws-lambda-rie');
    await copyFile(join(wheel, 'samcli', 'local', 'rapid', 'aws-lambda-rie-x86_64'), emulator);
    await chmod(emulator, 0o755);
    await rm(wheel, { recursive: true });
    await rm(python, { recursive: true });
  });
  return join(folder, 'aws-lambda-rie');
}

/** The path of AWS's runtime client for Node: the loop in Lambda that calls the handler. */
export async function runtimeInterfaceClient(): Promise<string> {
  if (!existsSync(installedAt(CLIENT.folder))) await installBuildTools();
  return join(await npmPackages('runtime-client'), 'aws-lambda-ric', 'index.mjs');
}

/** One package of a list, with its digests. */
function entryOf(name: string, list: string): string {
  const [entry] = new RegExp(`^${name}==.*(\n +.*)*`, 'm').exec(list) ?? [];
  if (entry === undefined) throw new Error(`The list of packages does not name ${name}`);
  return `${entry}\n`;
}
