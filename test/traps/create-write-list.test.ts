import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, type CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import { createBatchProcessor, PermanentError } from 'batchlatch';
import { ClaimsTable } from 'batchlatch-cdk';
import { type ClaimMonitorReport, createClaimMonitor } from 'batchlatch/monitor';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { runCommand } from '../../packages/cli/test/cli/run-command.ts';
import { codeBlocks } from '../docs/markdown.ts';
import { PAGES } from '../docs/pages.ts';
import { at, parseTemplate, readTemplate } from '../sam/read-template.ts';
import { emulatorClient } from '../support/claims-table.ts';

/** What functions, commands and the monitor are told: where the table is, and nothing else. */
const VARIABLES = ['CLAIMS_TABLE_NAME', 'AWS_ENDPOINT_URL_DYNAMODB'] as const;

interface Listed {
  readonly claims: readonly { readonly key: string; readonly state: string }[];
  readonly readBy: string;
  readonly missingIndex?: string;
}

describe('What one way of making a table creates, everything finds with its defaults', () => {
  let service: LocalService;
  let named = 0;
  const before = VARIABLES.map((name) => process.env[name]);
  const outdir = mkdtempSync(join(tmpdir(), 'batchlatch-cdk-'));

  beforeAll(async () => {
    service = await startDynamoDBEmulator('dynoxide');
  });
  afterAll(async () => {
    await service.stop();
    rmSync(outdir, { recursive: true, force: true });
  });
  beforeEach(() => {
    process.env['CLAIMS_TABLE_NAME'] = `claims-${(named += 1)}`;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = service.endpoint;
  });
  afterEach(() => {
    VARIABLES.forEach((name, index) => {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    });
  });

  async function command(...args: string[]): Promise<string> {
    const env = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name] ?? '']));
    const { status, out, err } = await runCommand(args, { env });
    expect({ status, err }).toMatchObject({ status: 0 });
    return out;
  }

  async function create(properties: unknown): Promise<void> {
    const client = emulatorClient(service.endpoint);
    const { AttributeDefinitions, KeySchema, BillingMode, GlobalSecondaryIndexes } =
      properties as CreateTableCommandInput;
    const table = { AttributeDefinitions, KeySchema, BillingMode, GlobalSecondaryIndexes };
    await client.send(new CreateTableCommand({ ...table, TableName: process.env['CLAIMS_TABLE_NAME'] }));
    client.destroy();
  }

  /** A function with its defaults parks a record. */
  async function park(messageId: string): Promise<void> {
    const handler = createBatchProcessor(async () => {
      throw new PermanentError('the card was declined');
    });
    const { batchItemFailures } = await handler(sqsEvent([{ messageId, body: {} }]), lambdaContext());
    expect(batchItemFailures).toEqual([{ itemIdentifier: messageId }]);
  }

  async function list(): Promise<Listed> {
    return JSON.parse(await command('claims', 'list', '--state', 'parked', '--json')) as Listed;
  }

  async function monitored(): Promise<{ report: ClaimMonitorReport; lines: Record<string, unknown>[] }> {
    const lines: string[] = [];
    const report = await createClaimMonitor({ write: (line) => lines.push(line) })();
    return { report, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
  }

  async function expectFound(how: { readBy: 'index' | 'scan'; missingIndex?: string }): Promise<void> {
    await park('m-1');
    const listed = await list();
    expect(listed).toMatchObject({ claims: [{ state: 'parked' }], ...how });
    expect(listed.missingIndex).toBe(how.missingIndex);
    const { report, lines } = await monitored();
    expect(report).toMatchObject({ parked: 1, readBy: how.readBy });
    expect(lines[0]).toMatchObject({ message: 'claimsCounted', ParkedClaims: 1, readBy: how.readBy });
    const told = lines.filter(({ message }) => message === 'claimsScanned');
    expect(told).toMatchObject(how.readBy === 'scan' ? [{ missingIndex: 'overdue' }] : []);
  }

  it('by `table create`', async () => {
    await command('table', 'create', '--yes');
    await expectFound({ readBy: 'index' });
  });

  it("by this repository's template", async () => {
    await create(at(readTemplate(), 'Resources', 'ClaimsTable', 'Properties'));
    await expectFound({ readBy: 'index' });
  });

  it('by the construct of the CDK', async () => {
    const stack = new Stack(new App({ outdir }), 'Stack');
    const claims = new ClaimsTable(stack, 'Claims');
    expect(claims.overdueIndexName).toBe('overdue');
    const [table] = Object.values(Template.fromStack(stack).findResources('AWS::DynamoDB::Table'));
    await create((table as { readonly Properties: unknown }).Properties);
    await expectFound({ readBy: 'index' });
    // The CDK takes seconds for its first template, and more beside other load.
  }, 120_000);

  it("by README's template, which has no index: it is scanned, which is said", async () => {
    const yaml = codeBlocks(PAGES.get('README.md') ?? '').find(({ language }) => language === 'yaml');
    await create(at(parseTemplate(yaml?.code ?? ''), 'Resources', 'ClaimsTable', 'Properties'));
    await expectFound({ readBy: 'scan', missingIndex: 'overdue' });
    const { err } = await runCommand(['claims', 'list', '--state', 'parked'], {
      env: Object.fromEntries(VARIABLES.map((name) => [name, process.env[name] ?? ''])),
    });
    expect(err).toContain('The table has no index `overdue`');
    expect(err).toContain('`batchlatch table create` adds it');
  });

  it('by hand, with an index that is added after claims were parked', async () => {
    const yaml = codeBlocks(PAGES.get('README.md') ?? '').find(({ language }) => language === 'yaml');
    await create(at(parseTemplate(yaml?.code ?? ''), 'Resources', 'ClaimsTable', 'Properties'));
    await park('m-0');
    await command('table', 'create', '--yes');
    const listed = await list();
    expect(listed).toMatchObject({ claims: [{ state: 'parked' }], readBy: 'index' });
  });
});
