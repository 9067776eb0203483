import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { ministack, startMinistack } from '../../test/support/components/ministack.ts';
import { until } from './support/until.ts';

const SCRIPT = 'scripts/aws-check.sh';

/** Where no credentials are: neither in files nor on a machine of AWS's. */
const NOWHERE = { HOME: tmpdir(), AWS_EC2_METADATA_DISABLED: 'true' };

describeWith([ministack], 'scripts/aws-check.sh, on MiniStack for AWS,', () => {
  let aws: LocalService;
  let environment: Record<string, string>;
  beforeAll(async () => {
    aws = await startMinistack();
    environment = { ...NOWHERE, ...emulatorEnvironment, AWS_ENDPOINT_URL: aws.endpoint };
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => aws.stop());

  it('runs the conformance suite and 100 orders, and leaves nothing behind', async () => {
    const { status, output } = await ended(run(['--yes'], environment));
    expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/Tests: .* passed/) });
    const [, passed] = /Tests: .*?(\d+) passed/.exec(output) ?? [];
    expect(Number(passed)).toBeGreaterThan(200);
    expect(output).toMatch(/together +\$0\.\d{3}/);
    expect(await resources()).toEqual([]);
  });

  it('deletes what it has created when it is interrupted in the middle', async () => {
    const script = run(['--yes'], environment);
    const end = ended(script);
    await until('everything is created', async () => (await resources()).length === 5);
    script.kill('SIGTERM');
    expect(await end).toMatchObject({
      status: 143,
      output: expect.stringContaining('Deleted what begins with'),
    });
    expect(await resources()).toEqual([]);
  });

  it('asks before it creates anything', async () => {
    const { status, output } = await ended(run([], environment, 'n\n'));
    expect(output).toContain('Nothing was created.');
    expect(status).toBe(1);
    expect(await resources()).toEqual([]);
  });

  describe('refuses', () => {
    it.each([
      ['to run without a region', [], { ...NOWHERE }, 'There is no region'],
      [
        'to run without credentials',
        ['--yes'],
        { ...NOWHERE, AWS_REGION: 'us-east-1' },
        'There are no credentials',
      ],
      ['options that it does not know', ['--force'], { ...NOWHERE }, 'Unknown option: --force'],
    ])('%s', async (_what, options, own, message) => {
      const { status, output } = await ended(run(options, own));
      expect(output).toContain(message);
      expect(status).not.toBe(0);
    });
  });

  it('says what it is for', async () => {
    const { status, output } = await ended(run(['--help'], NOWHERE));
    expect(status).toBe(0);
    expect(output).toContain('scripts/aws-check.sh --yes    does not ask');
    expect(output).not.toContain('set -euo');
  });

  async function resources(): Promise<readonly string[]> {
    const dynamoDB = new DynamoDBClient({ ...emulatorClientConfig, endpoint: aws.endpoint });
    const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: aws.endpoint });
    const { TableNames = [] } = await dynamoDB.send(new ListTablesCommand({}));
    const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
    dynamoDB.destroy();
    sqs.destroy();
    return [...TableNames, ...QueueUrls].filter((name) => name.includes('batchlatch-check-'));
  }
});

function run(options: readonly string[], environment: Record<string, string>, input = ''): ChildProcess {
  const script = spawn(SCRIPT, options, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  script.stdin?.on('error', () => {}); // a script that asks nothing may have ended before this is written
  script.stdin?.end(input);
  return script;
}

async function ended(script: ChildProcess): Promise<{ status: number | null; output: string }> {
  let output = '';
  for (const stream of [script.stdout, script.stderr]) stream?.on('data', (text) => (output += String(text)));
  const [status] = (await once(script, 'close')) as [number | null];
  return { status, output };
}
