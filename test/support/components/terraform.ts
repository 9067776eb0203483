import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './component.ts';
import { isOnPath, runCommand } from './run-command.ts';

/** In no package registry: the machine has it and the provider, or the tests that need it do not run. */
export const terraform: Component = {
  name: 'terraform',
  version: "the machine's",
  purpose: 'checks and applies examples/terraform',
  isOptional: true,
  whyMissing() {
    if (!isOnPath('terraform')) return 'install Terraform 1.5 or later, and put it on PATH';
    return pluginFolder() === undefined
      ? "put the AWS provider into one of Terraform's own folders for plugins, or one of /opt"
      : undefined;
  },
  install: async () => undefined,
};

/** Prepares the folder. The providers come from a folder of the machine: nothing is downloaded. */
export async function initialiseTerraform(folder: string): Promise<void> {
  await runTerraform(folder, ['init', '-input=false', `-plugin-dir=${pluginFolder() ?? ''}`]);
}

/** The folder in which a machine without a network keeps Terraform's providers. */
function pluginFolder(): string | undefined {
  const optional = existsSync('/opt') ? readdirSync('/opt').map((name) => join('/opt', name)) : [];
  return ['/usr/local/share/terraform/plugins', '/usr/share/terraform/plugins', ...optional].find((folder) =>
    existsSync(join(folder, 'registry.terraform.io', 'hashicorp', 'aws')),
  );
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
