import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { codeBlocks } from '../docs/markdown.ts';
import { at } from '../sam/read-template.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../support/components/describe-with.ts';
import { runCommand } from '../support/components/run-command.ts';
import { runFolder, samCli } from './support/sam-cli.ts';

describeWith([samCli], 'the template after the SAM transform', () => {
  let resources: unknown;
  // Rejects with what the linter says.
  beforeAll(async () => {
    await samCli.install();
    resources = at(JSON.parse(await expand()), 'Resources');
  }, INSTALL_TIMEOUT_MS);

  it('passes the linter', () => {
    expect(resources).toBeDefined();
  });

  it('gives each function a role with the two tables and no more than logs and dead letters besides', () => {
    const orders = at(resources, 'OrdersFunctionRole', 'Properties');
    expect(at(orders, 'ManagedPolicyArns')).toEqual([
      expect.stringContaining('AWSLambdaBasicExecutionRole'),
      { Ref: 'TablesPolicy' },
      expect.stringContaining('AWSLambdaSQSQueueExecutionRole'),
    ]);
    expect(orders).not.toHaveProperty('Policies');

    const placed = at(resources, 'OrderPlacedFunctionRole', 'Properties');
    expect(at(placed, 'ManagedPolicyArns')).toEqual([
      expect.stringContaining('AWSLambdaBasicExecutionRole'),
      { Ref: 'TablesPolicy' },
    ]);
    expect(at(placed, 'Policies')).toMatchObject([
      {
        PolicyDocument: {
          Statement: [
            {
              Action: 'sqs:SendMessage',
              Resource: { 'Fn::GetAtt': ['OrderPlacedDeadLetterQueue', 'Arn'] },
            },
          ],
        },
      },
    ]);
  });

  it('asks the event source mapping for partial batch responses', () => {
    expect(at(resources, 'OrdersFunctionOrders')).toMatchObject({
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionResponseTypes: ['ReportBatchItemFailures'], BatchSize: 10 },
    });
  });

  it('lets the rule of the template, and only that, invoke its function and write its dead letters', () => {
    const ofRule = { 'Fn::GetAtt': ['OrderPlacedFunctionOrderPlaced', 'Arn'] };
    expect(at(resources, 'OrderPlacedFunctionOrderPlaced', 'Type')).toBe('AWS::Events::Rule');
    expect(at(resources, 'OrderPlacedFunctionOrderPlacedPermission', 'Properties')).toMatchObject({
      Principal: 'events.amazonaws.com',
      SourceArn: ofRule,
    });
    expect(
      at(resources, 'OrderPlacedDeadLetterQueuePolicy', 'Properties', 'PolicyDocument', 'Statement'),
    ).toMatchObject([{ Condition: { ArnEquals: { 'aws:SourceArn': ofRule } } }]);
  });

  it('passes the linter as README has it at its least', async () => {
    const block = codeBlocks(await readFile('README.md', 'utf8')).find(({ language }) => language === 'yaml');
    const expanded = await expand(() => block?.code ?? '');
    expect(at(JSON.parse(expanded), 'Resources', 'OrdersFunctionOrders')).toMatchObject({
      Properties: { FunctionResponseTypes: ['ReportBatchItemFailures'] },
    });
  });

  describe('fails the linter', () => {
    it.each([
      ['a runtime that does not exist', 'Runtime: nodejs22.x', 'Runtime: nodejs99.x', 'nodejs99.x'],
      ['a response type that does not exist', '[ReportBatchItemFailures]', '[ReportBatch]', 'ReportBatch'],
      ['a batch too large', 'BatchSize: 10', 'BatchSize: 100000', '100000'],
      ['a misspelt property', 'MemorySize: 512', 'MemoySize: 512', 'MemoySize'],
    ])('with %s', async (_mistake, right, wrong, named) => {
      await expect(expand((template) => template.replace(right, wrong))).rejects.toThrow(named);
    });
  });
});

/** What `scripts/sam.sh expand` prints for the project's template, or for a changed one in a folder of its own. */
async function expand(change?: (template: string) => string): Promise<string> {
  if (change === undefined) return runCommand('scripts/sam.sh', ['expand']);
  const template = await readFile('template.yaml', 'utf8');
  const changed = change(template);
  if (changed === template) throw new Error('The change did not find its place in the template');
  const folder = await mkdtemp(join(runFolder(), 'template-'));
  await cp('scripts', join(folder, 'scripts'), { recursive: true });
  await writeFile(join(folder, 'template.yaml'), changed);
  return runCommand(join(folder, 'scripts', 'sam.sh'), ['expand']);
}
