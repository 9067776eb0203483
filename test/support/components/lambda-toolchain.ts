import { existsSync } from 'node:fs';
import { chmod, copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { installBuildTools, whyBuildToolsMissing } from './build-tools.ts';
import { installedAt, installOnce } from './cache.ts';
import type { Component } from './component.ts';
import { lambdaNode, whyLambdaNodeMissing } from './lambda-node.ts';
import { npmInstall } from './npm-package.ts';
import { PYTHON_MISSING } from './python-package.ts';
import { isOnPath, runCommand } from './run-command.ts';

/** AWS's runtime interface emulator is in no package registry by itself; SAM CLI carries it. */
const SAM_CLI_VERSION = '1.170.0';
const EMULATOR_FOLDER = `lambda-rie-sam-${SAM_CLI_VERSION}`;
const CLIENT_VERSION = '4.0.2';
const CLIENT_FOLDER = `aws-lambda-ric-${CLIENT_VERSION}`;

/** What `startLambdaRuntime` runs: emulator, runtime client, and both Nodes. */
export const lambdaRuntime: Component = {
  name: 'lambda-runtime',
  version: CLIENT_VERSION,
  purpose: "built functions on AWS's own runtime client, Node 22 and 24, without containers",
  whyMissing,
  async install() {
    // One after the other: compiling the client takes every core there is.
    await runtimeInterfaceEmulator();
    await runtimeInterfaceClient();
    await lambdaNode(22);
    await lambdaNode(24);
  },
};

function whyMissing(): string | undefined {
  const wrongPlatform = whyLambdaNodeMissing();
  if (wrongPlatform !== undefined) return wrongPlatform;
  if (!existsSync(installedAt(EMULATOR_FOLDER)) && !isOnPath('python3')) return PYTHON_MISSING;
  return existsSync(installedAt(CLIENT_FOLDER)) ? undefined : whyBuildToolsMissing();
}

/** The path of the emulator, a binary that plays Lambda towards one function. */
export async function runtimeInterfaceEmulator(): Promise<string> {
  const folder = await installOnce(EMULATOR_FOLDER, async (folder) => {
    const python = join(folder, 'python');
    const wheel = join(folder, 'wheel');
    await runCommand('python3', ['-m', 'venv', python]);
    // Without what it depends on it takes seconds; SAM CLI's whole environment, most of a minute.
    const options = ['--quiet', '--no-deps', '--no-compile', '--target', wheel];
    const requirement = `aws-sam-cli==${SAM_CLI_VERSION}`;
    await runCommand(join(python, 'bin', 'python'), ['-m', 'pip', 'install', ...options, requirement]);
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
  const folder = await installOnce(CLIENT_FOLDER, async (folder) => {
    await installBuildTools();
    await npmInstall(folder, 'aws-lambda-ric', CLIENT_VERSION);
  });
  return join(folder, 'node_modules', 'aws-lambda-ric', 'index.mjs');
}
