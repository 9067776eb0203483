import { existsSync } from 'node:fs';
import type { Component } from './component.ts';
import { isOnPath, runCommand } from './run-command.ts';

/** Folders in which machines without a network keep Terraform's providers. */
const MIRRORS = ['/usr/local/share/terraform/plugins', '/usr/share/terraform/plugins', '/opt/tf-plugins'];

/** In no package registry: the machine has it, or the tests that need it do not run. */
export const terraform: Component = {
  name: 'terraform',
  version: "the machine's",
  purpose: 'checks and applies examples/terraform',
  whyMissing: () =>
    isOnPath('terraform') ? undefined : 'install Terraform 1.5 or later, and put it on PATH',
  install: async () => undefined,
};

/** Prepares the folder: the providers come from a folder of the machine where there is one, else from their registry. */
export async function initialiseTerraform(folder: string): Promise<void> {
  const mirror = MIRRORS.find((path) => existsSync(path));
  await runTerraform(folder, [
    'init',
    '-input=false',
    ...(mirror === undefined ? [] : [`-plugin-dir=${mirror}`]),
  ]);
}

/** Runs Terraform in the folder and gives what it printed on standard output. */
export function runTerraform(
  folder: string,
  [command = '', ...options]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const quietly = { CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_CLI_CONFIG_FILE: '/dev/null' };
  return runCommand('terraform', [`-chdir=${folder}`, command, '-no-color', ...options], {
    env: { ...quietly, ...env },
    timeoutMs: 180_000,
  });
}
