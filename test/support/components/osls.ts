import { join } from 'node:path';
import type { Component } from './component.ts';
import { npmPackages } from './npm-package.ts';
import { npmPins } from './pins.ts';
import { runCommand } from './run-command.ts';

export const osls: Component = {
  name: 'osls',
  version: npmPins('osls').version,
  purpose: 'the open-source fork of the Serverless Framework, which packages without a login',
  whyMissing: () => undefined,
  install: async () => void (await npmPackages('osls')),
};

/** Packages the service of a folder, as `osls package` does: what would be deployed is in `.serverless` afterwards. */
export async function packageService(folder: string): Promise<void> {
  await runOsls(['package'], folder);
}

/** Runs a command of the framework in a folder, and gives what it printed on standard output. */
export async function runOsls(args: readonly string[], cwd: string): Promise<string> {
  const program = join(await npmPackages('osls'), 'osls/bin/serverless.js');
  return runCommand(process.execPath, [program, ...args], {
    cwd,
    env: {
      SLS_TELEMETRY_DISABLED: '1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      CLAIMS_URL: 'postgresql://localhost/claims',
    },
  });
}
