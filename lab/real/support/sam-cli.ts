import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { installedAt } from '../../../test/support/components/cache.ts';
import type { Component } from '../../../test/support/components/component.ts';
import { PYTHON_MISSING } from '../../../test/support/components/python-package.ts';
import { isOnPath, runCommand } from '../../../test/support/components/run-command.ts';

const SAM = join(installedAt('sam'), 'bin', 'sam');

/** SAM CLI and cfn-lint, as `scripts/sam.sh` installs them. */
export const samCli: Component = {
  name: 'sam',
  version: 'scripts/sam.sh',
  purpose: 'builds, checks and deploys template.yaml',
  whyMissing: () => (existsSync(SAM) || isOnPath('python3') ? undefined : PYTHON_MISSING),
  install: async () => void (await runCommand('scripts/sam.sh', ['setup'])),
};

/** A container engine that `sam local` can use, as `scripts/sam-local.sh` installs it. */
export const samLocal: Component = {
  name: 'sam-local',
  version: 'scripts/sam-local.sh',
  purpose: '`sam local invoke` without Docker',
  whyMissing() {
    const isDebian = existsSync('/etc/debian_version') && isOnPath('apt-get');
    const isRoot = process.getuid?.() === 0;
    if (!isDebian || !isRoot || process.arch !== 'x64') {
      return 'it needs root on Debian on x86_64; elsewhere use Docker and `sam local invoke` by hand';
    }
    return samCli.whyMissing();
  },
  install: async () => void (await runCommand('scripts/sam-local.sh', ['setup', '22'])),
};

export interface SamOptions {
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs SAM CLI and gives what it printed on standard output. */
export async function sam(args: readonly string[], { cwd, env }: SamOptions = {}): Promise<string> {
  await samCli.install();
  const quiet = { SAM_CLI_TELEMETRY: '0', AWS_DEFAULT_REGION: 'us-east-1' };
  return runCommand(SAM, args, { cwd, env: { ...quiet, ...env } });
}

/**
 * What `sam build` makes of a template, built by the first who asks in a run of the tests: the folder with
 * `template.yaml` and a folder for each function.
 */
export async function builtFunctions(template: string = 'template.yaml'): Promise<string> {
  const folder = join(runFolder(), template === 'template.yaml' ? 'build' : basename(dirname(template)));
  // SAM writes the template when the functions are built.
  if (!existsSync(join(folder, 'template.yaml')))
    await runCommand('scripts/sam.sh', ['build', template, '--build-dir', folder]);
  return folder;
}

/** A folder of this worker of the run: what its files build, the other worker does not write meanwhile. It is removed at the end. */
export function runFolder(): string {
  const { BATCHLATCH_RUN_FOLDER: run, JEST_WORKER_ID: worker = '1' } = process.env;
  if (run === undefined) throw new Error('There is no folder for this run: use `npm run lab:real`');
  const folder = join(run, worker);
  mkdirSync(folder, { recursive: true });
  return folder;
}
