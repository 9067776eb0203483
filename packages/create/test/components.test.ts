import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installedAt } from '../../../test/support/components/cache.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../../test/support/components/describe-with.ts';
import { runCommand } from '../../../test/support/components/run-command.ts';
import { initialiseTerraform, runTerraform, terraform } from '../../../test/support/components/terraform.ts';
import { samCli } from '../../../lab/real/support/sam-cli.ts';
import type { Deployment, Store } from '../src/answers.ts';
import { filesOf } from './support/every-answer.ts';

const PLACES = ['dynamodb', 'postgres'] as const;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-create-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes one file of a project into a folder of its own. Returns that folder. */
function folderWith(deploy: Deployment, store: Store, name: string): string {
  const own = mkdtempSync(path.join(folder, `${deploy}-`));
  writeFileSync(path.join(own, name), filesOf(deploy, store).get(name) ?? '');
  return own;
}

describeWith([terraform], 'The configuration of Terraform', () => {
  it.each(PLACES)('with claims in %s is formatted, and what the provider takes', async (store) => {
    const own = folderWith('terraform', store, 'main.tf');
    await expect(runTerraform(own, ['fmt', '-check', '-diff'])).resolves.toBe('');
    await initialiseTerraform(own);
    await expect(runTerraform(own, ['validate'])).resolves.toContain('is valid');
  });
});

describeWith([samCli], 'The template', () => {
  beforeAll(() => samCli.install(), INSTALL_TIMEOUT_MS);

  it.each([
    ['sam', 'template.yaml'],
    ['ecs', 'service.yaml'],
  ] as const)('for %s is clean for cfn-lint', async (deploy, name) => {
    const lint = path.join(installedAt('sam'), 'bin', 'cfn-lint');
    const templates = PLACES.flatMap((store) => [
      '--template',
      path.join(folderWith(deploy, store, name), name),
    ]);
    await expect(runCommand(lint, ['--regions', 'us-east-1', ...templates])).resolves.toBe('');
  });
});
