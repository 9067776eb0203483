import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqsEvent } from 'batchlatch/testing';
import { describeWith } from '../support/components/describe-with.ts';
import { initialiseTerraform, runTerraform, terraform } from '../support/components/terraform.ts';
import { sam, samCli } from '../../lab/real/support/sam-cli.ts';
import { type ClaimsOnThisMachine, startClaims } from './claims-table.ts';
import { Project } from './project.ts';

let claims: ClaimsOnThisMachine;
beforeAll(async () => {
  claims = await startClaims();
});
afterAll(() => claims.stop());

const order = (orderId: string): unknown => sqsEvent([{ body: { orderId } }]);

/** Calls the handler of a bundle where there is nothing else, twice with one order. */
async function runAlone(bundle: string, orderId: string): Promise<void> {
  const alone = new Project();
  const file = path.basename(bundle);
  cpSync(bundle, path.join(alone.folder, file));
  const { answers, lines } = await alone.invoke(file, [order(orderId), order(orderId)], claims.env);
  expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
  expect(lines.filter((line) => line.startsWith('charged'))).toEqual([`charged ${orderId}`]);
}

describe('A bundle of esbuild', () => {
  it("runs where no package is installed, without AWS's SDK, and is small", async () => {
    const project = new Project('esbuild');
    await project.install();
    await project.output(process.execPath, ['build.mjs']);
    const bundle = path.join(project.folder, 'dist/orders.mjs');
    expect(statSync(bundle).size).toBeLessThan(200_000); // 156 KB; the SDK's client alone has more
    await runAlone(bundle, 'esbuild');
    expect(await project.typeErrors()).toBe('');
  });
});

describe('A NodejsFunction of the CDK', () => {
  it('is bundled by the esbuild of the project, and wired to its queue and table', async () => {
    const project = new Project('cdk');
    await project.install({ beside: [process.env['BATCHLATCH_PACKED_CDK'] ?? ''] });
    await project.output(process.execPath, ['--import', 'tsx', 'app.ts'], { CDK_OUTDIR: 'cdk.out' });
    const out = path.join(project.folder, 'cdk.out');
    const template = JSON.parse(readFileSync(path.join(out, 'Orders.template.json'), 'utf8')) as {
      Resources: Readonly<Record<string, { Type: string; Properties: Record<string, unknown> }>>;
    };
    const ofType = (type: string): Record<string, unknown>[] =>
      Object.values(template.Resources)
        .filter(({ Type }) => Type === type)
        .map(({ Properties }) => Properties);
    expect(ofType('AWS::Lambda::EventSourceMapping')).toMatchObject([
      { FunctionResponseTypes: ['ReportBatchItemFailures'] },
    ]);
    expect(ofType('AWS::Lambda::Function')).toMatchObject([
      { Environment: { Variables: { CLAIMS_TABLE_NAME: expect.anything() } } },
    ]);
    const asset = readdirSync(out).find((name) => name.startsWith('asset.')) ?? '';
    await runAlone(path.join(out, asset, 'index.mjs'), 'cdk');
    expect(await project.typeErrors()).toBe('');
  });
});

describeWith([samCli], '`sam build` in a project', () => {
  it("builds README's template, and the function runs", async () => {
    const project = new Project('sam');
    await project.install();
    await sam(['build'], { cwd: project.folder, env: project.environment() });
    const built = path.join(project.folder, '.aws-sam/build/OrdersFunction');
    expect(readdirSync(built)).toContain('orders.js');
    await runAlone(path.join(built, 'orders.js'), 'sam');
  });
});

describeWith([terraform], 'The configuration of Terraform', () => {
  it('is formatted, and what the provider takes', async () => {
    const { folder } = new Project('terraform');
    await expect(runTerraform(folder, ['fmt', '-check', '-diff'])).resolves.toBe('');
    await initialiseTerraform(folder);
    await expect(runTerraform(folder, ['validate'])).resolves.toContain('is valid');
  });
});
