import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';
import { listenLocally } from '../../src/dev/emulators/listen-locally.ts';
import { runCommand } from './run-command.ts';

const TEMPLATE = `AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Parameters:
  Visibility: { Type: Number, Default: 180 }
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties: { VisibilityTimeout: !Ref Visibility }
  OrdersFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: .
      Handler: orders.handler
      Runtime: nodejs22.x
      Timeout: 30
      Events:
        Orders:
          Type: SQS
          Properties: { Queue: !GetAtt Orders.Arn }
`;

interface Report {
  readonly findings: readonly { readonly code: string; readonly severity: string; readonly line?: number }[];
}

describe('doctor', () => {
  let folder: string;
  let template: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-doctor-'));
    template = path.join(folder, 'template.yaml');
    await writeFile(template, TEMPLATE);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('prints findings, and ends with 1 where one is an error', async () => {
    const { status, out, err } = await runCommand(['doctor', '--template', template], { terminal: 80 });
    expect({ status, err }).toEqual({ status: 1, err: '' });
    expect(out).toContain('error report-batch-item-failures-off');
    expect(out).toContain('FunctionResponseTypes: [ReportBatchItemFailures]');
  });

  it('examines no more than one of a kind, and says so', async () => {
    const sound = path.join(folder, 'sound.yaml');
    await writeFile(sound, 'Resources: {}');
    expect(await runCommand(['doctor', '--template', template, '--template', sound])).toEqual({
      status: 2,
      out: '',
      err: expect.stringContaining('Give one, and run doctor for each of several.'),
    });
    const twice = ['--function', 'orders', '--function', 'ledger'];
    expect(await runCommand(['doctor', ...twice])).toMatchObject({ status: 2, out: '' });
  });

  it('reports optional findings with `--all` alone', async () => {
    const codesOf = async (...more: string[]): Promise<string[]> => {
      const { out } = await runCommand(['doctor', '--template', template, '--json', ...more]);
      return (JSON.parse(out) as Report).findings.map(({ code }) => code);
    };
    expect(await codesOf()).not.toContain('mapping-metrics-off');
    expect(await codesOf('--all')).toContain('mapping-metrics-off');
  });

  it('prints JSON and SARIF', async () => {
    const json = await runCommand(['doctor', '--template', template, '--json']);
    const { findings } = JSON.parse(json.out) as Report;
    expect(findings[0]).toMatchObject({
      code: expect.any(String),
      severity: 'error',
      message: expect.any(String),
      fix: expect.any(String),
      line: expect.any(Number),
    });
    const sarif = await runCommand(['doctor', '--template', template, '--sarif']);
    expect(JSON.parse(sarif.out)).toMatchObject({ version: '2.1.0' });
  });

  it('takes values of parameters', async () => {
    const codesFor = async (...args: string[]): Promise<string[]> => {
      const { out } = await runCommand(['doctor', '--template', template, '--json', ...args]);
      return (JSON.parse(out) as Report).findings.map(({ code }) => code);
    };
    expect(await codesFor()).not.toContain('visibility-timeout-too-short');
    expect(await codesFor('--parameter', 'Visibility=60')).toContain('visibility-timeout-too-short');
  });

  describe.each([
    ['GitHub Actions', 'Orders\\n::error file=a.ts::It is broken'],
    ['GitHub Actions, in a name with spaces', 'Orders ::set-output name=a::b ::add-mask::c'],
    ['GitHub Actions of old', 'Orders##[error]It is broken'],
    ['Azure Pipelines', 'Orders\\r\\n##vso[task.setvariable variable=a]b'],
    ['TeamCity', 'Orders ##teamcity[buildStop]'],
    ['a terminal', 'Orders\\e[2J\\L'],
  ])('in the log of %s', (_where, name) => {
    it.each([[], ['--json'], ['--sarif']])(
      'prints names so that nothing acts upon them: %j',
      async (...how) => {
        const hostile = path.join(folder, 'hostile.yaml');
        const named = TEMPLATE.replace('  Orders:\n    Type', `  "${name}":\n    Type`)
          .replace('!GetAtt Orders.Arn', `{ Fn::GetAtt: ["${name}", Arn] }`)
          .replace('  OrdersFunction:', `  "${name}Function":`);
        await writeFile(hostile, named);
        const { status, out, err } = await runCommand(['doctor', '--template', hostile, ...how]);
        expect([status, err]).toEqual([1, '']);
        expect(out).toContain(String.raw`Orders`);
        const lines = out.split('\n').map((line) => line.trim());
        expect(lines.filter((line) => /^::|\s::\w|##\w*\[|\p{Cc}|\p{Zl}/u.test(line))).toEqual([]);
      },
    );
  });

  it("finds no error in the project's own template", async () => {
    const { status } = await runCommand(['doctor', '--template', 'template.yaml']);
    expect(status).toBe(0);
  });

  it.each([
    ['main.tf', 'look at what is deployed, with --queue-url URL, --table NAME and --function NAME.'],
    ['serverless.yml', 'run `npx serverless package` and name what it writes'],
    ['sst.config.ts', 'run `npx sst state export --stage STAGE > state.json` and name what it writes'],
    ['cdk.json', 'run `npx cdk synth` and name what it writes'],
  ])('says what to look at in place of %s', async (name, advice) => {
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'doctor-')), name);
    await writeFile(file, 'resource "aws_sqs_queue" "orders" {\n  name = "orders"\n}\nlocals {\n}\n');
    const { status, out, err } = await runCommand(['doctor', '--template', file]);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(/^Error: [^\n]+\n$/);
    expect(err).toContain(advice);
    expect(err).not.toContain('YAML');
  });

  it('reads a template of SAM with the name of another tool', async () => {
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'doctor-')), 'serverless.yaml');
    await writeFile(file, 'Resources: { Orders: { Type: AWS::SQS::Queue } }');
    expect((await runCommand(['doctor', '--template', file])).out).toMatch(/^0 errors/);
  });

  it.each([
    ['nothing to look at', [], 'Say what to look at: --template FILE'],
    [
      'a file that is not there',
      ['--template', 'no-such.yaml'],
      'no-such.yaml cannot be read (ENOENT). Check the path.',
    ],
    ['a parameter without a value', ['--parameter', 'Stage'], 'Give Name=value.'],
  ])('says in one line that there is %s', async (_what, args, message) => {
    const { status, out, err } = await runCommand(['doctor', ...args]);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(message);
  });
});

describe('doctor of a deployed function', () => {
  const line = JSON.stringify({ message: 'batchFinished', groups: { messages: 200, distinct: 200 } });
  /** Answers by a part of the request; others find nothing. */
  const ANSWERS: readonly (readonly [string, object])[] = [
    [
      '/functions/orders/configuration',
      { FunctionName: 'orders', LoggingConfig: { LogGroup: '/shop/orders' } },
    ],
    [
      '/event-source-mappings',
      {
        EventSourceMappings: [
          {
            UUID: '1',
            EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:orders',
            FunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:orders',
          },
        ],
      },
    ],
    ['Logs_20140328.FilterLogEvents', { events: [{ message: line }] }],
  ];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
    request.on('end', () => {
      const asked = `${request.url} ${String(request.headers['x-amz-target'])}`;
      const [, answer] = ANSWERS.find(([part]) => asked.includes(part)) ?? [];
      response.writeHead(answer === undefined ? 404 : 200, {
        'content-type': 'application/x-amz-json-1.0',
        ...(answer === undefined && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
      });
      response.end(JSON.stringify(answer ?? { __type: 'ResourceNotFoundException' }));
    });
  });
  afterAll(() => void server.close());

  it('reads its log group for message groups', async () => {
    const endpoint = `http://127.0.0.1:${await listenLocally(server)}`;
    const args = ['doctor', '--function', 'orders', '--endpoint-url', endpoint, '--json'];
    const { out } = await runCommand(args);
    expect((JSON.parse(out) as Report).findings.map(({ code }) => code)).toContain(
      'message-group-per-message',
    );
    expect(bodies.join('\n')).toContain('"logGroupName":"/shop/orders"');
  });
});

describe('table check', () => {
  const table = emulatedTable('dynoxide');

  it('finds what a table lacks', async () => {
    const onTable = ['--table', table.tableName, '--endpoint-url', table.endpoint];
    const { status, out } = await runCommand(['table', 'check', ...onTable, '--json']);
    expect(status).toBe(1);
    expect((JSON.parse(out) as Report).findings).toContainEqual(
      expect.objectContaining({ code: 'ttl-off', severity: 'error' }),
    );
    const text = await runCommand(['table', 'check', ...onTable]);
    expect(text.out).toMatch(/^error ttl-off/);
    await runCommand(['table', 'create', ...onTable, '--yes']);
    expect((await runCommand(['table', 'check', ...onTable])).status).toBe(0);
  });

  it("judges a table by Powertools' attributes where it has them", async () => {
    const check = async (name: string, ...args: string[]): Promise<Report['findings']> => {
      const onTable = ['--table', name, '--endpoint-url', table.endpoint, '--attributes', 'powertools'];
      const ended = await runCommand(['table', ...args, ...onTable]);
      return args[0] === 'check' ? (JSON.parse(ended.out) as Report).findings : [];
    };
    await check('powertools', 'create', '--yes', '--no-overdue-index');
    const findings = await check('powertools', 'check', '--json');
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'overdue-index-missing',
        fix: expect.stringContaining('{ AttributeName: in_progress_expiration, KeyType: RANGE }'),
      }),
    ]);
    expect(await check(table.tableName, 'check', '--json')).toContainEqual(
      expect.objectContaining({
        code: 'ttl-attribute',
        severity: 'error',
        fix: 'TimeToLiveSpecification: { AttributeName: expiration, Enabled: true }',
      }),
    );
  });

  it('says that there is no such table', async () => {
    const { status, err } = await runCommand([
      'table',
      'check',
      '--table',
      'none',
      '--endpoint-url',
      table.endpoint,
    ]);
    expect(status).toBe(1);
    expect(err).toMatch(/^Error: There is no such table .*\n$/);
  });
});
