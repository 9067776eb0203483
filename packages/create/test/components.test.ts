import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installedAt } from '../../../test/support/components/cache.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../../test/support/components/describe-with.ts';
import { osls, packageService } from '../../../test/support/components/osls.ts';
import { runCommand } from '../../../test/support/components/run-command.ts';
import { initialiseTerraform, runTerraform, terraform } from '../../../test/support/components/terraform.ts';
import { samCli } from '../../../lab/real/support/sam-cli.ts';
import type { Deployment, Store } from '../src/answers.ts';
import { filesOf } from './support/every-answer.ts';
import { doctorTemplate } from './support/repository.ts';

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

describeWith([osls], 'The service of the Serverless Framework, packaged by its open-source fork', () => {
  beforeAll(() => osls.install(), INSTALL_TIMEOUT_MS);

  const packaged = async (
    change: (service: string) => string,
  ): Promise<ReturnType<typeof doctorTemplate>> => {
    const service = change(filesOf('serverless', 'dynamodb').get('serverless.yml') ?? '');
    const own = mkdtempSync(path.join(folder, 'serverless-'));
    // The fork knows no `build`, and packages what is there.
    writeFileSync(path.join(own, 'serverless.yml'), service.replace(/^build:\n(?: .*\n)+/m, ''));
    writeFileSync(path.join(own, 'orders.js'), 'exports.handler = async () => undefined;\n');
    await packageService(own);
    const file = path.join(own, '.serverless', 'cloudformation-template-update-stack.json');
    return doctorTemplate({ file, text: readFileSync(file, 'utf8') });
  };

  it('is right for doctor, which looks at its queue, table, function and mapping', async () => {
    const { findings, checked } = await packaged((service) => service);
    expect(findings).toEqual([]);
    expect(checked.toSorted()).toEqual([
      'claims table ClaimsTable',
      'dead-letter queue OrdersDeadLetters',
      'event source mapping OrdersEventSourceMappingSQSOrdersQueue',
      'function OrdersLambdaFunction',
      'queue OrdersQueue',
    ]);
  });

  it('is wrong for doctor where Lambda would ignore the response', async () => {
    const { findings } = await packaged((service) => service.replace(/^ *functionResponseType:.*\n/m, ''));
    expect(findings.map(({ code }) => code)).toEqual(['report-batch-item-failures-off']);
  });
});
