import { describe, expect, it } from '@jest/globals';
import { doctorTemplate } from '../../src/doctor/index.ts';
import { parseState } from '../../src/template/parse-state.ts';

const REGION = 'eu-west-1:123456789012';
const arn = (service: string, name: string): string => `arn:aws:${service}:${REGION}:${name}`;

interface Resource {
  readonly name: string;
  readonly type: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
  readonly retainOnDelete?: boolean;
}

/** What the project of `npm create batchlatch -- --deploy sst` makes, in the names of `@pulumi/aws`. */
const GOOD: readonly Resource[] = [
  { name: 'Claims', type: 'sst:aws:Dynamo', inputs: {} },
  {
    name: 'ClaimsTable',
    type: 'aws:dynamodb/table:Table',
    inputs: {
      attributes: [
        { name: 'id', type: 'S' },
        { name: 'overdueShard', type: 'S' },
        { name: 'leaseUntil', type: 'N' },
      ],
      billingMode: 'PAY_PER_REQUEST',
      deletionProtectionEnabled: true,
      hashKey: 'id',
      globalSecondaryIndexes: [
        { name: 'overdue', hashKey: 'overdueShard', rangeKey: 'leaseUntil', projectionType: 'KEYS_ONLY' },
      ],
      pointInTimeRecovery: { enabled: true },
      ttl: { attributeName: 'expiresAt', enabled: true },
    },
    outputs: {
      name: 'my-worker-production-ClaimsTable',
      arn: arn('dynamodb', 'table/my-worker-production-ClaimsTable'),
    },
    retainOnDelete: true,
  },
  {
    name: 'DeadLettersQueue',
    type: 'aws:sqs/queue:Queue',
    inputs: { messageRetentionSeconds: 1_209_600 },
    outputs: { name: 'my-worker-production-DeadLettersQueue' },
  },
  {
    name: 'OrdersQueue',
    type: 'aws:sqs/queue:Queue',
    inputs: {
      visibilityTimeoutSeconds: 180,
      redrivePolicy: JSON.stringify({
        deadLetterTargetArn: arn('sqs', 'my-worker-production-DeadLettersQueue'),
        maxReceiveCount: 5,
      }),
    },
    outputs: {
      name: 'my-worker-production-OrdersQueue',
      arn: arn('sqs', 'my-worker-production-OrdersQueue'),
    },
  },
  {
    name: 'OrdersSubscriberFunctionRole',
    type: 'aws:iam/role:Role',
    inputs: {
      inlinePolicies: [
        {
          name: 'inline',
          policy: JSON.stringify({
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Action: ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:BatchGetItem'],
                Resource: [arn('dynamodb', 'table/my-worker-production-ClaimsTable')],
              },
              {
                Effect: 'Allow',
                Action: [
                  'sqs:ChangeMessageVisibility',
                  'sqs:DeleteMessage',
                  'sqs:GetQueueAttributes',
                  'sqs:GetQueueUrl',
                  'sqs:ReceiveMessage',
                ],
                Resource: [arn('sqs', 'my-worker-production-OrdersQueue')],
              },
            ],
          }),
        },
      ],
      managedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole'],
    },
    outputs: { name: 'my-worker-production-OrdersSubscriberFunctionRole' },
  },
  {
    name: 'OrdersSubscriberFunction',
    type: 'aws:lambda/function:Function',
    inputs: {
      handler: 'bundle.handler',
      memorySize: 512,
      runtime: 'nodejs22.x',
      timeout: 30,
      reservedConcurrentExecutions: -1,
      role: 'arn:aws:iam::123456789012:role/my-worker-production-OrdersSubscriberFunctionRole',
      environment: {
        variables: {
          CLAIMS_TABLE_NAME: 'my-worker-production-ClaimsTable',
          SST_KEY: {
            '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
            ciphertext: 'v1:x',
          },
        },
      },
    },
    outputs: { name: 'my-worker-production-OrdersSubscriberFunction' },
  },
  {
    name: 'OrdersSubscriberEventSourceMapping',
    type: 'aws:lambda/eventSourceMapping:EventSourceMapping',
    inputs: {
      batchSize: 10,
      eventSourceArn: arn('sqs', 'my-worker-production-OrdersQueue'),
      functionName: arn('lambda', 'function:my-worker-production-OrdersSubscriberFunction'),
      functionResponseTypes: ['ReportBatchItemFailures'],
    },
  },
];

interface Inputs {
  [name: string]: unknown;
  inlinePolicies: [{ policy: string }];
}

type Change = (inputs: Inputs, resource: { retainOnDelete: boolean }) => void;

/** The resources as a state has them; `change` plants a mistake in the one with this name. */
function resourcesOf(name = '', change: Change = () => undefined): object[] {
  return structuredClone(GOOD).map((resource) => {
    if (resource.name === name)
      change(resource.inputs as Inputs, resource as unknown as { retainOnDelete: boolean });
    const { name: last, ...rest } = resource;
    return { urn: `urn:pulumi:production::my-worker::${rest.type}::${last}`, custom: true, ...rest };
  });
}

const exported = (resources: readonly object[]): string =>
  JSON.stringify({ stack: 'organization/my-worker/production', latest: { resources } }, undefined, 2);

const examined = (text: string) =>
  doctorTemplate({ file: 'state.json', text }, { now: Date.parse('2026-11-23') });
const codesOf = (text: string): string[] => examined(text).findings.map(({ code }) => code);

describe('doctor on the state of an SST app', () => {
  it('finds nothing wrong in what the project of npm create batchlatch makes, and looked at all of it', () => {
    const { findings, checked, skipped } = examined(exported(resourcesOf()));
    expect(findings).toEqual([]);
    expect(checked).toEqual([
      'event source mapping OrdersSubscriberEventSourceMapping',
      'queue OrdersQueue',
      'dead-letter queue DeadLettersQueue',
      'claims table ClaimsTable',
      'function OrdersSubscriberFunction',
    ]);
    expect(skipped).toEqual([]);
  });

  it.each<[string, string, Change, string]>([
    [
      'a visibility timeout of 60 seconds',
      'OrdersQueue',
      (inputs) => (inputs['visibilityTimeoutSeconds'] = 60),
      'visibility-timeout-too-short',
    ],
    [
      'a mapping that ignores the response',
      'OrdersSubscriberEventSourceMapping',
      (inputs) => delete inputs['functionResponseTypes'],
      'report-batch-item-failures-off',
    ],
    [
      'a queue without a dead-letter queue',
      'OrdersQueue',
      (inputs) => delete inputs['redrivePolicy'],
      'no-dead-letter-queue',
    ],
    ['a table without TTL', 'ClaimsTable', (inputs) => delete inputs['ttl'], 'ttl-off'],
    [
      'a table that the stack deletes',
      'ClaimsTable',
      (_inputs, table) => (table.retainOnDelete = false),
      'claims-table-not-retained',
    ],
    [
      'a role that may not write claims',
      'OrdersSubscriberFunctionRole',
      (inputs) => {
        const [policy] = inputs.inlinePolicies;
        policy.policy = policy.policy.replace('dynamodb:PartiQLUpdate', 'dynamodb:PartiQLSelect');
      },
      'missing-claims-permissions',
    ],
  ])('finds %s', (_what, name, change, code) => {
    expect(codesOf(exported(resourcesOf(name, change)))).toContain(code);
  });

  it('reads resources of one name, as programs of Pulumi have them for a queue and its function', () => {
    const renamed = resourcesOf().map((resource) => {
      const { urn } = resource as { urn: string };
      return { ...resource, urn: urn.replace(/::Orders\w+$/, '::orders') };
    });
    const { findings, checked } = examined(exported(renamed));
    expect(findings).toEqual([]);
    expect(checked).toHaveLength(5);
  });

  it('reads policies that are attached to a role, and a redrive policy, where they are resources', () => {
    const [role, queue] = ['OrdersSubscriberFunctionRole', 'OrdersQueue'];
    let policy: unknown;
    let redrivePolicy: unknown;
    const apart = resourcesOf(role, (inputs) => {
      [{ policy }] = inputs.inlinePolicies;
      Object.assign(inputs, { inlinePolicies: [], managedPolicyArns: [] });
    }).map((resource) => {
      const { inputs, outputs, urn, ...rest } = resource as { inputs: Inputs; outputs: object; urn: string };
      if (!urn.endsWith(`::${queue}`)) return resource;
      ({ redrivePolicy } = inputs);
      return {
        ...rest,
        urn,
        outputs: { ...outputs, redrivePolicy: '' },
        inputs: { ...inputs, redrivePolicy: null },
      };
    });
    const account = 'arn:aws:iam::123456789012:policy';
    const parts = [
      {
        type: 'aws:iam/policy:Policy',
        inputs: { policy },
        outputs: { name: 'claims-4f0c', arn: `${account}/claims-4f0c` },
      },
      {
        type: 'aws:iam/rolePolicyAttachment:RolePolicyAttachment',
        inputs: { role: `my-worker-production-${role}`, policyArn: `${account}/claims-4f0c` },
      },
      {
        type: 'aws:sqs/redrivePolicy:RedrivePolicy',
        inputs: {
          queueUrl: `https://sqs.eu-west-1.amazonaws.com/123456789012/my-worker-production-${queue}`,
          redrivePolicy,
        },
      },
    ].map((part) => ({ ...part, urn: `urn:pulumi:production::my-worker::${part.type}::Part` }));
    expect(examined(exported([...apart, ...parts]))).toMatchObject({ findings: [], skipped: [] });
  });

  it('knows a mapping of Kafka, and its provisioned pollers', () => {
    const codes = codesOf(
      exported(
        resourcesOf('OrdersSubscriberEventSourceMapping', (inputs) => {
          delete inputs['eventSourceArn'];
          inputs['selfManagedEventSource'] = { endpoints: { KAFKA_BOOTSTRAP_SERVERS: 'kafka:9092' } };
          inputs['provisionedPollerConfig'] = { minimumPollers: 1 };
        }),
      ),
    );
    expect(codes).toEqual(['stream-retries-unlimited']);
  });

  it('reads what pulumi prints, and a state file, in the same way', () => {
    const resources = resourcesOf();
    for (const state of [
      { version: 3, deployment: { resources } },
      { version: 3, checkpoint: { latest: { resources } } },
    ]) {
      expect(examined(JSON.stringify(state)).checked).toHaveLength(5);
    }
  });

  it('does not judge a resource that was replaced and waits for its deletion', () => {
    const old = resourcesOf('OrdersQueue', (inputs) => {
      inputs['visibilityTimeoutSeconds'] = 1;
    }).filter((resource) => JSON.stringify(resource).includes('"visibilityTimeoutSeconds":1,'));
    expect(old).toHaveLength(1);
    const state = (more: object): string =>
      exported([...old.map((resource) => ({ ...resource, ...more })), ...resourcesOf()]);
    expect(codesOf(state({}))).not.toEqual([]);
    expect(codesOf(state({ delete: true }))).toEqual([]);
  });

  it('never shows a secret', () => {
    expect(JSON.stringify(parseState({ file: 'state.json', text: exported(resourcesOf()) }))).not.toContain(
      'v1:x',
    );
  });

  it.each([
    ['a template in JSON', '{ "Resources": {} }'],
    ['YAML', 'Resources: {}'],
    ['JSON that is cut off', '{ "latest": '],
    ['a state without resources', '{ "latest": {} }'],
  ])('leaves %s to the reader of templates', (_what, text) => {
    expect(parseState({ file: 'x', text })).toBeUndefined();
  });
});

it.each([
  [{ urn: 'urn::q', type: 'constructor' }],
  [{ urn: 5, type: 'aws:sqs/queue:Queue' }],
  [{ urn: 'urn::q', type: 7 }],
  [{ urn: 'urn::q', type: 'aws:sqs/queue:Queue', inputs: null, outputs: [1] }],
  [null],
])('reads a state with a resource in another form than that of Pulumi: %j', (resource) => {
  const text = JSON.stringify({ deployment: { resources: [resource] } });
  expect(doctorTemplate({ file: 'state.json', text }).findings).toEqual([]);
});
