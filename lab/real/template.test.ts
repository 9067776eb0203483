import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { codeBlocks } from '../../test/docs/markdown.ts';
import { at, everyMember } from '../../test/sam/read-template.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { runCommand } from '../../test/support/components/run-command.ts';
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

  it('gives each function the role of the template, and makes none that allows more', () => {
    expect(namesOf('AWS::IAM::Role')).toEqual([
      'ClaimMonitorFunctionRole',
      'OrderPlacedFunctionRole',
      'OrdersFunctionRole',
    ]);
    for (const name of namesOf('AWS::Lambda::Function')) {
      expect(at(resources, name, 'Properties', 'Role')).toEqual({ 'Fn::GetAtt': [`${name}Role`, 'Arn'] });
    }
    for (const name of ['OrdersFunction', 'OrderPlacedFunction']) {
      expect(at(resources, `${name}Role`, 'Properties', 'ManagedPolicyArns')).toEqual([
        { Ref: 'TablesPolicy' },
      ]);
    }
  });

  it('allows nothing on everything', () => {
    const statements = everyMember(resources, 'Statement').flat() as Record<string, unknown>[];
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed.length).toBeGreaterThan(10);
    for (const { Action, Resource } of allowed) {
      expect([Action].flat()).not.toContainEqual(expect.stringContaining('*'));
      expect([Resource].flat()).not.toContain('*');
    }
  });

  function namesOf(type: string): string[] {
    return Object.entries(resources as Record<string, { Type: string }>)
      .filter(([, { Type }]) => Type === type)
      .map(([name]) => name)
      .toSorted();
  }

  it('asks the event source mapping for partial batch responses, and to count messages', () => {
    expect(at(resources, 'OrdersFunctionOrders')).toMatchObject({
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BatchSize: { Ref: 'BatchSize' },
        MetricsConfig: { Metrics: ['EventCount'] },
      },
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
    ).toMatchObject([{ Condition: { ArnEquals: { 'aws:SourceArn': ofRule } } }, { Effect: 'Deny' }]);
  });

  it.each(['examples/orders-fifo/template.yaml', 'examples/sources/template.yaml'])(
    'passes the linter in %s, with the roles of the template alone',
    async (path) => {
      const expanded = at(JSON.parse(await runCommand('scripts/sam.sh', ['expand', path])), 'Resources');
      const entries = Object.entries(expanded as Record<string, { Type: string }>);
      const named = (type: string) => entries.filter(([, { Type }]) => Type === type).map(([name]) => name);
      expect(named('AWS::IAM::Role').toSorted()).toEqual(
        named('AWS::Lambda::Function')
          .map((name) => `${name}Role`)
          .toSorted(),
      );
      for (const mapping of named('AWS::Lambda::EventSourceMapping')) {
        expect(at(expanded, mapping, 'Properties')).toMatchObject({
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          MetricsConfig: { Metrics: ['EventCount'] },
        });
      }
    },
  );

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
      ['a batch too large', 'BatchSize: !Ref BatchSize', 'BatchSize: 100000', '100000'],
      ['a misspelt property', 'MemorySize: 256', 'MemoySize: 256', 'MemoySize'],
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
