import { randomUUID } from 'node:crypto';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { startDynamoDBEmulator } from '../../src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { doctorLive, type DoctorReport } from '../../src/doctor/index.ts';
import { lambdaOf, roleOf } from './deployed-function.ts';

const services: LocalService[] = [];
let dynamoDB: DynamoDB;
let sqs: SQS;
beforeAll(async () => {
  services.push(await startDynamoDBEmulator('dynoxide'), await startSqsEmulator());
  const [tables, queues] = services;
  dynamoDB = new DynamoDB({ ...emulatorClientConfig, endpoint: tables?.endpoint ?? '' });
  sqs = new SQS({ ...emulatorClientConfig, endpoint: queues?.endpoint ?? '' });
});
afterAll(async () => {
  dynamoDB.destroy();
  sqs.destroy();
  for (const service of services) await service.stop();
});

/** Without what is merely worth knowing. */
const mistakesOf = ({ findings }: DoctorReport): string[] =>
  findings.filter(({ severity }) => severity !== 'info').map(({ code }) => code);

describe('a deployed table', () => {
  it('without TTL is found', async () => {
    const tableName = await createTable({ hasTtl: false });
    const report = await doctorLive({ dynamoDB }, { tableName });
    expect(mistakesOf(report)).toContain('ttl-off');
    expect(report.checked).toEqual([`claims table ${tableName}`]);
    expect(report.findings[0]).toMatchObject({
      message: `${tableName} has no TTL that is enabled.`,
      fix: 'TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }',
      resource: tableName,
    });
  });

  it('with its TTL on another attribute is found', async () => {
    const tableName = await createTable({ ttl: 'ttl' });
    expect(mistakesOf(await doctorLive({ dynamoDB }, { tableName }))).toContain('ttl-attribute');
  });

  it('as `claimsTableDefinition` makes it, has its key and TTL', async () => {
    const mistakes = mistakesOf(await doctorLive({ dynamoDB }, { tableName: await createTable() }));
    expect(mistakes.filter((code) => code.startsWith('ttl') || code === 'claims-table-key')).toEqual([]);
  });

  it('that is not there is an error', async () => {
    await expect(doctorLive({ dynamoDB }, { tableName: 'nowhere' })).rejects.toThrow(
      'There is no table nowhere.',
    );
  });
});

describe('a deployed queue', () => {
  it('is looked at with its dead-letter queue', async () => {
    const { url, arn } = await createQueue({ VisibilityTimeout: '180' });
    const report = await doctorLive({ sqs, lambda: lambdaOf({ queueArn: arn }) }, { queueUrl: url });
    expect(mistakesOf(report)).toEqual([]);
    expect(report.checked).toEqual(expect.arrayContaining([expect.stringMatching(/^dead-letter queue /)]));
  });

  it.each([
    ['visibility-timeout-too-short', { VisibilityTimeout: '100' }, {}],
    ['max-receive-count-too-low', {}, { receives: 1 }],
    ['dead-letter-queue-retention', {}, { deadLetters: { MessageRetentionPeriod: '345600' } }],
    ['no-dead-letter-queue', {}, { hasDeadLetters: false }],
  ])('is found to have: %s', async (code, attributes, more) => {
    const { url, arn } = await createQueue({ VisibilityTimeout: '180', ...attributes }, more);
    const report = await doctorLive({ sqs, lambda: lambdaOf({ queueArn: arn }) }, { queueUrl: url });
    expect(mistakesOf(report)).toEqual([code]);
  });

  it('is looked at although the function of one of its mappings was deleted', async () => {
    const { url, arn } = await createQueue({ VisibilityTimeout: '180' }, { receives: 1 });
    const absent = Object.assign(new Error('absent'), { name: 'ResourceNotFoundException' });
    const lambda = { ...lambdaOf({ queueArn: arn }), getFunctionConfiguration: () => Promise.reject(absent) };
    const report = await doctorLive({ sqs, lambda }, { queueUrl: url });
    expect(mistakesOf(report)).toEqual(['max-receive-count-too-low']);
    expect(report.skipped).toContainEqual(expect.stringMatching(/^orders, .*: its function is not here/));
  });

  it('that is not there is an error', async () => {
    const { url } = await createQueue({});
    await expect(doctorLive({ sqs }, { queueUrl: `${url}-gone` })).rejects.toThrow('There is no queue');
  });
});

describe('a deployed function', () => {
  it('is looked at with its queue, its table and its role', async () => {
    const tableName = await createTable();
    const { arn } = await createQueue({ VisibilityTimeout: '180' });
    const clients = {
      sqs,
      dynamoDB,
      lambda: lambdaOf({ queueArn: arn, tableName }),
      iam: roleOf({ arn, tableName }),
    };
    const report = await doctorLive(clients, { functionName: 'orders' });
    expect(mistakesOf(report).filter((code) => !code.startsWith('claims-table-without'))).toEqual([]);
    expect(report.checked).toEqual(
      expect.arrayContaining([
        'function orders',
        `claims table ${tableName}`,
        `queue ${arn.split(':').at(-1)}`,
      ]),
    );
  });

  it.each([
    ['orders:live', 'orders'],
    ['orders:function', 'orders'],
    ['123456789012:function:orders:7', '123456789012:function:orders'],
    [
      'arn:aws:lambda:eu-west-1:123456789012:function:orders:live',
      'arn:aws:lambda:eu-west-1:123456789012:function:orders',
    ],
    ['arn:aws:lambda:eu-west-1:123456789012:function:orders', undefined],
  ])(
    'that is named %s is looked at with the mappings of that name, and its own concurrency',
    async (functionName, withoutQualifier = functionName) => {
      const { arn } = await createQueue({ VisibilityTimeout: '180' });
      const lambda = lambdaOf({ queueArn: arn });
      const asked: unknown[] = [];
      const listEventSourceMappings: typeof lambda.listEventSourceMappings = (input) => {
        asked.push(input);
        return lambda.listEventSourceMappings(input);
      };
      const getFunctionConcurrency: typeof lambda.getFunctionConcurrency = (input) => {
        asked.push(input);
        return lambda.getFunctionConcurrency(input);
      };
      await doctorLive(
        { sqs, lambda: { ...lambda, getFunctionConcurrency, listEventSourceMappings } },
        { functionName },
      );
      expect(asked).toEqual([{ FunctionName: withoutQualifier }, { FunctionName: functionName }]);
    },
  );

  it.each([
    ['report-batch-item-failures-off', { mapping: { FunctionResponseTypes: [] } }],
    ['runtime-too-old', { configuration: { Runtime: 'nodejs18.x' } }],
    ['reserved-concurrency-too-low', { reserved: 4 }],
    ['visibility-timeout-too-short', { configuration: { Timeout: 60 } }],
    ['missing-claims-permissions', { configuration: { Role: 'arn:aws:iam::000000000000:role/other' } }],
  ])('is found to have: %s', async (code, change) => {
    const tableName = await createTable();
    const { arn } = await createQueue({ VisibilityTimeout: '180' });
    const clients = {
      sqs,
      dynamoDB,
      lambda: lambdaOf({ queueArn: arn, tableName, ...change }),
      iam: roleOf({ arn, tableName }),
    };
    const report = await doctorLive(clients, { functionName: 'orders' });
    expect(mistakesOf(report)).toContain(code);
    // Nothing deployed has a logical id.
    expect(report.findings.map(({ fix }) => fix).join('\n')).not.toMatch(
      /!(Ref|GetAtt) (arn|claims-|orders)/,
    );
  });

  it('starts nothing by a mapping that is disabled', async () => {
    const { arn } = await createQueue({ VisibilityTimeout: '180' });
    const lambda = lambdaOf({ queueArn: arn, reserved: 4, mapping: { State: 'Disabled' } });
    expect(mistakesOf(await doctorLive({ sqs, lambda }, { functionName: 'orders' }))).toEqual([]);
  });

  it.each([
    ['arn:aws:iam::000000000000:policy/queue', ['wide-permissions']],
    ['arn:aws:iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole', []],
  ])('may read every queue by the policy that AWS wrote for that alone: %s', async (policyArn, expected) => {
    const { arn } = await createQueue({ VisibilityTimeout: '180' });
    const iam = roleOf({ arn: '*', tableName: 'claims', policyArn });
    const { findings } = await doctorLive(
      { sqs, lambda: lambdaOf({ queueArn: arn }), iam },
      { functionName: 'orders' },
    );
    expect(findings.map(({ code }) => code)).toEqual(expected);
  });

  it('whose role may not be read is judged without it, and that is said', async () => {
    const refused = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    const { arn } = await createQueue({ VisibilityTimeout: '180' });
    const iam = { ...roleOf({ arn, tableName: 'claims' }), listRolePolicies: () => Promise.reject(refused) };
    const report = await doctorLive(
      { sqs, lambda: lambdaOf({ queueArn: arn }), iam },
      { functionName: 'orders' },
    );
    expect(mistakesOf(report)).toEqual([]);
    expect(report.skipped.join('\n')).toMatch(/it needs iam:ListRolePolicies \(AccessDeniedException\)/);
  });

  it('whose environment names a table that is not there is looked at without it', async () => {
    const { arn } = await createQueue({ VisibilityTimeout: '180' }, { receives: 1 });
    const lambda = lambdaOf({ queueArn: arn, tableName: 'nowhere' });
    const report = await doctorLive({ sqs, dynamoDB, lambda }, { functionName: 'orders' });
    expect(mistakesOf(report)).toEqual(['max-receive-count-too-low']);
    expect(report.skipped).toContainEqual(
      expect.stringMatching(/^orders, CLAIMS_TABLE_NAME: the table is not/),
    );
  });

  it('is not judged by halves where the service cannot be reached: that is an error', async () => {
    const broken = Object.assign(new Error('connect ECONNREFUSED'), { name: 'Error' });
    const lambda = { ...lambdaOf({ queueArn: '' }), listEventSourceMappings: () => Promise.reject(broken) };
    await expect(doctorLive({ lambda }, { functionName: 'orders' })).rejects.toBe(broken);
  });
});

async function createTable({ hasTtl = true, ttl = 'expiresAt' } = {}): Promise<string> {
  const { table, timeToLive } = claimsTableDefinition(`claims-${randomUUID()}`);
  await dynamoDB.createTable(table);
  const TimeToLiveSpecification = { AttributeName: ttl, Enabled: true };
  if (hasTtl) await dynamoDB.updateTimeToLive({ ...timeToLive, TimeToLiveSpecification });
  return table.TableName ?? '';
}

async function createQueue(
  Attributes: Readonly<Record<string, string>>,
  {
    hasDeadLetters = true,
    receives = 5,
    deadLetters = {},
  }: { hasDeadLetters?: boolean; receives?: number; deadLetters?: Readonly<Record<string, string>> } = {},
): Promise<{ url: string; arn: string }> {
  const create = async (name: string, attributes: Readonly<Record<string, string>>) => {
    const { QueueUrl: url = '' } = await sqs.createQueue({ QueueName: name, Attributes: attributes });
    const found = await sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: ['QueueArn'] });
    return { url, arn: found.Attributes?.QueueArn ?? '' };
  };
  const name = `q-${randomUUID()}`;
  if (!hasDeadLetters) return create(name, Attributes);
  const { arn } = await create(`${name}-dead`, { MessageRetentionPeriod: '1209600', ...deadLetters });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: receives });
  return create(name, { ...Attributes, RedrivePolicy });
}
