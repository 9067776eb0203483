import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { outboxTableDefinition } from 'batchlatch/outbox';
import { doctorTemplate } from '../../packages/cli/src/doctor/index.ts';
import { at, everyMember, membersOf, readTemplateText, resourcesOf, withDefaults } from './read-template.ts';

// What the linters of SAM and CloudFormation do not see, and what has to be so in every template.

const PATHS = [
  'template.yaml',
  'examples/orders-fifo/template.yaml',
  'examples/orders-postgres/template.yaml',
  'examples/outbox/template.yaml',
  'examples/shop/template.yaml',
  'examples/sources/template.yaml',
];

/** Mappings that Lambda polls for, by the type of the event in SAM. */
const POLLED = new Set(['SQS', 'Kinesis', 'DynamoDB', 'MSK']);

/** AWS has no permission for one interface alone before it exists. */
const WITHOUT_RESOURCES = ['ReachBrokers', 'JoinSubnets'];

/** Their claims are in a database that is no part of them. */
const WITHOUT_TABLE = new Set(['examples/orders-postgres/template.yaml']);

it('There is no template that is not tested', () => {
  const ofExamples = readdirSync('examples').map((folder) => `examples/${folder}/template.yaml`);
  expect(['template.yaml', ...ofExamples.filter((path) => existsSync(path))].toSorted()).toEqual(
    PATHS.toSorted(),
  );
});

describe.each(PATHS)('%s', (path) => {
  const written = readTemplateText(path);
  const template = withDefaults(written);
  const queues = new Map(resourcesOf(template, 'AWS::SQS::Queue'));
  const functions = resourcesOf(template, 'AWS::Serverless::Function');
  const events = functions.flatMap(([, properties]) =>
    Object.values((properties['Events'] ?? {}) as Record<string, { Type: string; Properties: object }>),
  );
  const deadLetterQueues = new Set(
    [...queues].flatMap(([, { RedrivePolicy }]) =>
      RedrivePolicy === undefined ? [] : [String(at(RedrivePolicy, 'deadLetterTargetArn', 'Fn::GetAtt', 0))],
    ),
  );

  it('is one in which the doctor finds nothing', () => {
    const { findings } = doctorTemplate({ file: path, text: readFileSync(path, 'utf8') });
    expect(findings).toEqual([]);
  });

  describe('a queue that a function takes messages from', () => {
    it('hides them for six runs of the function and the batching window, whichever timeout is chosen', () => {
      const timeouts = at(written, 'Parameters', 'FunctionTimeout', 'AllowedValues') as number[];
      expect(timeouts.length).toBeGreaterThan(3);
      for (const FunctionTimeout of timeouts) {
        const chosen = withDefaults(written, { FunctionTimeout });
        expect(at(chosen, 'Globals', 'Function', 'Timeout')).toBe(FunctionTimeout);
        const hidden = resourcesOf(chosen, 'AWS::SQS::Queue')
          .filter(([, { RedrivePolicy }]) => RedrivePolicy !== undefined)
          .map(([, { VisibilityTimeout }]) => VisibilityTimeout);
        const [window = 0] = everyMember(chosen, 'MaximumBatchingWindowInSeconds') as number[];
        expect(hidden).toEqual(hidden.map(() => 6 * FunctionTimeout + window));
        expect(hidden).not.toEqual([]);
      }
    });

    it('gives up to a queue that keeps messages for longer than it ever does', () => {
      for (const [, { RedrivePolicy, MessageRetentionPeriod }] of queues) {
        if (RedrivePolicy === undefined) continue;
        const parameters = membersOf(written, 'Parameters');
        const longest = Object.hasOwn(parameters, 'QueueRetention')
          ? at(parameters, 'QueueRetention', 'MaxValue')
          : MessageRetentionPeriod;
        const dead = queues.get(String(at(RedrivePolicy, 'deadLetterTargetArn', 'Fn::GetAtt', 0)));
        expect(dead?.['MessageRetentionPeriod']).toBe(14 * 86_400);
        expect(longest).toBeLessThan(14 * 86_400);
      }
    });

    it('is the only one that may give up there, by the name that it has', () => {
      for (const [, { RedrivePolicy, QueueName }] of queues) {
        if (RedrivePolicy === undefined) continue;
        const dead = queues.get(String(at(RedrivePolicy, 'deadLetterTargetArn', 'Fn::GetAtt', 0)));
        const name = String(at(QueueName, 'Fn::Sub'));
        expect(dead?.['RedriveAllowPolicy']).toEqual({
          redrivePermission: 'byQueue',
          sourceQueueArns: [
            { 'Fn::Sub': `arn:\${AWS::Partition}:sqs:\${AWS::Region}:\${AWS::AccountId}:${name}` },
          ],
        });
      }
    });
  });

  it('lets no queue give up to a queue that is there for others', () => {
    for (const [name, { RedrivePolicy, RedriveAllowPolicy }] of queues) {
      if (RedrivePolicy !== undefined || deadLetterQueues.has(name)) continue;
      expect(RedriveAllowPolicy).toEqual({ redrivePermission: 'denyAll' });
    }
  });

  it.each(['AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy', 'AWS::S3::BucketPolicy'])(
    'refuses what does not come by TLS, by %s',
    (type) => {
      const kinds: Record<string, [of: string, member: string]> = {
        'AWS::SQS::QueuePolicy': ['AWS::SQS::Queue', 'Queues'],
        'AWS::SNS::TopicPolicy': ['AWS::SNS::Topic', 'Topics'],
        'AWS::S3::BucketPolicy': ['AWS::S3::Bucket', 'Bucket'],
      };
      const [of, member] = kinds[type] ?? ['', ''];
      const refusing = resourcesOf(template, type).flatMap(([, properties]) => {
        const statements = at(properties, 'PolicyDocument', 'Statement') as Record<string, unknown>[];
        const tlsOnly = statements.filter(
          ({ Effect, Principal, Condition }) =>
            Effect === 'Deny' &&
            Principal === '*' &&
            JSON.stringify(Condition) === '{"Bool":{"aws:SecureTransport":"false"}}',
        );
        return tlsOnly.length === 1 ? [String(at([properties[member]].flat()[0], 'Ref'))] : [];
      });
      expect(refusing.toSorted()).toEqual(
        resourcesOf(template, of)
          .map(([name]) => name)
          .toSorted(),
      );
    },
  );

  it('has mappings that take partial responses and count what they deliver', () => {
    for (const { Type, Properties } of events) {
      if (!POLLED.has(Type)) continue;
      expect(Properties).toMatchObject({
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        MetricsConfig: { Metrics: ['EventCount'] },
      });
    }
  });

  it('bounds the attempts of streams, and keeps what Lambda gives up', () => {
    for (const { Type, Properties } of events) {
      if (!POLLED.has(Type) || Type === 'SQS') continue;
      expect(Properties).toMatchObject({
        MaximumRetryAttempts: 5,
        DestinationConfig: { OnFailure: { Type: 'SQS' } },
      });
    }
  });

  it('allows nothing on everything, but where AWS has no other permission', () => {
    const allowed = everyMember(template, 'Statement')
      .flat()
      .filter((statement) => at(statement, 'Effect') === 'Allow') as Record<string, unknown>[];
    const wide = allowed.filter(({ Action, Resource }) =>
      [Action, Resource].flat().some((one) => one === '*' || String(one).endsWith(':*')),
    );
    expect(allowed.length).toBeGreaterThan(3);
    expect(WITHOUT_RESOURCES).toEqual(expect.arrayContaining(wide.map(({ Sid }) => Sid)));
  });

  it('keeps its tables, with protection from deletion, when the stack goes', () => {
    const tables = resourcesOf(template, 'AWS::DynamoDB::Table');
    for (const [name, properties] of tables) {
      expect(at(template, 'Resources', name)).toMatchObject({
        DeletionPolicy: 'Retain',
        UpdateReplacePolicy: 'Retain',
      });
      expect(properties).toMatchObject({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
    }
  });

  it('has the claims table that the store writes, with the index under the name that readers know', () => {
    const named = everyMember(template, 'CLAIMS_TABLE_NAME');
    if (WITHOUT_TABLE.has(path)) {
      expect(named).toEqual([]);
      return;
    }
    const { table, timeToLive } = claimsTableDefinition('ClaimsTable', {}, { overdueIndex: true });
    const { TableName: _, ...definition } = table;
    const properties = at(template, 'Resources', 'ClaimsTable', 'Properties');
    expect(properties).toMatchObject({
      ...definition,
      TimeToLiveSpecification: timeToLive.TimeToLiveSpecification,
    });
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(name).toEqual({ Ref: 'ClaimsTable' });
  });

  it('has the table of an outbox, if it has one, that relays read', () => {
    const found = resourcesOf(template, 'AWS::DynamoDB::Table').find(([name]) => name === 'OutboxTable');
    if (found === undefined) return;
    const [, properties] = found;
    const { table, timeToLive } = outboxTableDefinition('OutboxTable');
    const { TableName: _, StreamSpecification: stream, ...definition } = table;
    expect(properties).toMatchObject({
      ...definition,
      StreamSpecification: { StreamViewType: stream?.StreamViewType },
      TimeToLiveSpecification: timeToLive.TimeToLiveSpecification,
    });
    expect(everyMember(template, 'OUTBOX_TABLE_NAME')).toEqual([{ Ref: 'OutboxTable' }]);
  });

  describe.each(functions)('%s', (name, properties) => {
    const codeUri = String(properties['CodeUri'] ?? at(template, 'Globals', 'Function', 'CodeUri'));
    const folder = join(dirname(path), codeUri);

    it('is bundled from the file that its handler names', () => {
      const file = String(properties['Handler']).replace(/\.handler$/, '.ts');
      const build = at(template, 'Resources', name, 'Metadata', 'BuildProperties');
      expect(at(build, 'EntryPoints')).toEqual([file]);
      expect(existsSync(join(folder, file))).toBe(true);
    });

    it('is bundled in place: a package.json beside it would have SAM copy and install', () => {
      expect(existsSync(join(folder, 'package.json'))).toBe(false);
    });

    it('logs to a group that forgets after 30 days', () => {
      const group = String(at(properties, 'LoggingConfig', 'LogGroup', 'Ref'));
      expect(at(template, 'Resources', group, 'Properties', 'RetentionInDays')).toBe(30);
    });

    it('has a role of its own, for Lambda alone', () => {
      expect(properties['Role']).toEqual({ 'Fn::GetAtt': [`${name}Role`, 'Arn'] });
      expect(properties).not.toHaveProperty('Policies');
      const trust = at(template, 'Resources', `${name}Role`, 'Properties', 'AssumeRolePolicyDocument');
      expect(at(trust, 'Statement')).toEqual([
        { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ]);
    });
  });
});
