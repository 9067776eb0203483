import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { doctorTemplate } from '../../src/doctor/index.ts';
import { AWS_RULES } from '../../src/doctor/rules/all-rules.ts';
import { MESSAGE_GROUP_RULES } from '../../src/doctor/rules/message-groups.ts';
import { MISTAKES } from './planted-mistakes.ts';

const good = readFileSync('packages/cli/test/doctor/templates/good.yaml', 'utf8');

const examined = (text: string, parameters = {}) =>
  doctorTemplate({ file: 'template.yaml', text }, { parameters, now: Date.parse('2026-11-23'), all: true });

/** As `code at line`, in the order of the code. */
const placesOf = (text: string): string[] =>
  examined(text)
    .findings.map(({ code, line }) => `${code} at ${line}`)
    .toSorted();

describe('a template without mistakes', () => {
  it('has no findings, and all of it was judged', () => {
    expect(examined(good)).toMatchObject({ findings: [], skipped: [] });
  });

  it('was looked at: its queues, its table, its functions and what invokes them', () => {
    expect(examined(good).checked).toEqual([
      'event source mapping OrdersFunction, event Orders',
      'event source mapping ChargesFunction, event Charges',
      'event source mapping ChargesFunction, event PageViews',
      'event source mapping LedgerMapping',
      'event source mapping RelayMapping',
      'queue OrdersQueue',
      'queue LedgerQueue',
      'dead-letter queue OrdersDeadLetters',
      'dead-letter queue LedgerDeadLetters',
      'claims table ClaimsTable',
      'function OrdersFunction',
      'function LedgerFunction',
      'function ChargesFunction',
      'function OrderPlacedFunction',
      'function ShippedFunction',
      'function RelayFunction',
      'function SweepFunction',
      'function MonitorFunction',
      'EventBridge OrderPlacedFunction, event OrderPlaced',
      'Schedule MonitorFunction, event EveryFiveMinutes',
      'Schedule SweepSchedule',
      'subscriber ShippedSubscriber',
      'outbox OutboxTable',
    ]);
  });
});

it('finds a mistake once where two mappings lead from a queue to a function', () => {
  const wrong = good.replace('VisibilityTimeout: 61 # ledger', 'VisibilityTimeout: 20 # ledger');
  const [, mapping = ''] = /^( {2}LedgerMapping:\n(?: {4}.*\n)+)/m.exec(wrong) ?? [];
  const both = wrong.replace(mapping, `${mapping}${mapping.replace('LedgerMapping', 'OtherMapping')}`);
  const ofQueue = (text: string): string[] =>
    examined(text)
      .findings.filter(({ resource }) => resource === 'LedgerQueue')
      .map(({ code }) => code);
  expect(ofQueue(wrong)).not.toEqual([]);
  expect(ofQueue(both)).toEqual(ofQueue(wrong));
});

it('does not judge the keys of a consumer of an outbox that no metadata tell', () => {
  const { findings, skipped } = examined(good.replace('{ key: outboxId }', '{ leaseMs: 31000 }'));
  expect(findings).toEqual([]);
  expect(skipped).toEqual([
    'OrdersFunction, its keys for messages of OutboxTable: only its code tells, or ' +
      '`Metadata: { batchlatch: { key } }`',
  ]);
});

it('does not judge what depends on the type of a queue that a condition decides about', () => {
  const isFifo = '!If [Ordered, true, !Ref AWS::NoValue]';
  const { findings, skipped } = examined(
    `Conditions: { Ordered: !Equals [!Ref AWS::Region, eu-west-1] }\n${good.replace(
      'FifoQueue: true # ledger\n',
      `FifoQueue: ${isFifo}\n`,
    )}`,
  );
  expect(findings).toEqual([]);
  expect(skipped).toEqual(['LedgerQueue, FifoQueue: the condition Ordered cannot be told']);
});

it.each([
  ['!ImportValue orders', []],
  ['!Sub "arn:aws:sqs:eu-west-1:1:orders-${Stage}"', []],
  ['arn:aws:sqs:eu-west-1:1:orders.fifo', []],
  ['arn:aws:sqs:eu-west-1:1:orders', ['reserved-concurrency-too-low']],
])('asks for no MaximumConcurrency where the queue may be a FIFO queue: %s', (queue, expected) => {
  const { findings } = examined(`Parameters: { Stage: { Type: String } }
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs24.x
      ReservedConcurrentExecutions: 10
      Events:
        Orders:
          Type: SQS
          Properties:
            Queue: ${queue}
            FunctionResponseTypes: [ReportBatchItemFailures]
            MetricsConfig: { Metrics: [EventCount] }
`);
  expect(findings.map(({ code }) => code)).toEqual(expected);
});

it.each([
  ['true', ['reserved-concurrency-too-low']],
  ['false', []],
])('counts what a mapping starts if it is enabled: %s', (enabled, expected) => {
  const mapping = (isEnabled: string) => `
          Type: SQS
          Properties:
            Queue: arn:aws:sqs:eu-west-1:1:orders
            Enabled: ${isEnabled}
            FunctionResponseTypes: [ReportBatchItemFailures]
            MetricsConfig: { Metrics: [EventCount] }
            ScalingConfig: { MaximumConcurrency: 5 }`;
  const { findings } = examined(`Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs24.x
      ReservedConcurrentExecutions: 5
      Events:
        One: ${mapping('true')}
        Other: ${mapping(enabled)}
`);
  expect(findings.map(({ code }) => code)).toEqual(expected);
});

it('does not judge asynchronous invocations of a function that has settings for each alias', () => {
  const config = (id: string, qualifier: string, more: string): string =>
    `  ${id}: { Type: AWS::Lambda::EventInvokeConfig, Properties: { FunctionName: !Ref ShippedFunction, Qualifier: ${qualifier}, ${more} } }\n`;
  const latest = config('OfLatest', '$LATEST', 'MaximumRetryAttempts: 0');
  const live = config(
    'OfLive',
    'live',
    'DestinationConfig: { OnFailure: { Destination: !Ref FailedEvents } }',
  );
  const shipped = `  Live: { Type: AWS::Lambda::Alias, Properties: { FunctionName: !Ref ShippedFunction, Name: live } }
  Shipped:
    Type: AWS::Events::Rule
    Properties:
      EventPattern: { source: [shop] }
      Targets: [{ Id: live, Arn: !Ref Live, DeadLetterConfig: { Arn: !GetAtt FailedEvents.Arn } }]
`;
  const { findings, skipped } = examined(`${good.trimEnd()}\n${latest}${live}${shipped}`);
  expect(findings).toEqual([]);
  expect(skipped).toEqual([
    'ShippedFunction, EventInvokeConfig: it has several, for its aliases or versions',
  ]);
  const alone = examined(`${good.trimEnd()}\n${latest}${shipped}`).findings.map(({ code }) => code);
  expect(alone).toEqual(['async-without-failure-destination', 'async-without-retries']);
});

describe('mappings that may never exist together', () => {
  const reportOf = (one: string, other: string) => {
    const mapping = (more: string) => `
    Type: AWS::Lambda::EventSourceMapping
    ${more}
      FunctionName: !Ref Fn
      EventSourceArn: arn:aws:sqs:eu-west-1:1:orders
      FunctionResponseTypes: [ReportBatchItemFailures]
      MetricsConfig: { Metrics: [EventCount] }
      ScalingConfig: { MaximumConcurrency: 10 }`;
    const { findings, skipped } = examined(`Parameters: { Stage: { Type: String } }
Conditions: { IsProd: !Equals [!Ref Stage, prod], IsTest: !Not [!Condition IsProd] }
Resources:
  Fn:
    Type: AWS::Lambda::Function
    Properties: { Runtime: nodejs24.x, ReservedConcurrentExecutions: 10 }
  One: ${mapping(one)}
  Other: ${mapping(other)}
`);
    return { codes: findings.map(({ code }) => code), skipped };
  };

  it.each([
    ['Condition: IsProd\n    Properties:', 'Condition: IsTest\n    Properties:'],
    [
      'Properties:\n      Enabled: !If [IsProd, true, false]',
      'Properties:\n      Enabled: !If [IsProd, false, true]',
    ],
  ])('are not counted together: %s', (one, other) => {
    const { codes, skipped } = reportOf(one, other);
    expect(codes).toEqual([]);
    expect(skipped).toContain(
      'Fn, ReservedConcurrentExecutions: it cannot be told which of its mappings poll at the same time',
    );
  });

  it.each([
    ['Condition: IsProd\n    Properties:', 'Condition: IsProd\n    Properties:'],
    ['Condition: IsProd\n    Properties:', 'Properties:'],
  ])('are counted where they do: %s', (one, other) => {
    expect(reportOf(one, other).codes).toEqual(['reserved-concurrency-too-low']);
  });
});

it('does not judge a relay or a sweep that may be one', () => {
  const arn = '!Sub "arn:aws:dynamodb:eu-west-1:1:table/${Elsewhere}/stream/1"';
  const { findings, skipped } = examined(
    good
      .replace('EventSourceArn: !GetAtt OutboxTable.StreamArn', `EventSourceArn: ${arn}`)
      .replace(
        "- { Effect: Allow, Action: 'dynamodb:Query', Resource:",
        "- { Effect: Allow, Action: 'dynamodb:*', Resource: !ImportValue other, X:",
      )
      .replace('Arn: !GetAtt SweepFunction.Arn', 'Arn: !GetAtt MonitorFunction.Arn'),
  );
  expect(findings.filter(({ code }) => code.startsWith('outbox'))).toEqual([]);
  expect(skipped).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^OutboxTable, its relay: /),
      expect.stringMatching(/^OutboxTable, its sweep: /),
    ]),
  );
});

it('says that it does not judge a queue together with a function that is in another template', () => {
  const { findings, skipped } = examined(
    good.replace('FunctionName: !Ref LedgerFunction', 'FunctionName: !ImportValue ledger'),
  );
  expect(findings).toEqual([]);
  expect(skipped).toContain('LedgerMapping: its function is not here, so it is not judged');
});

it('does not judge a relay whose function is in another template', () => {
  const { findings, skipped } = examined(
    good.replace('FunctionName: !Ref RelayFunction', 'FunctionName: !ImportValue relay'),
  );
  expect(findings.filter(({ code }) => code === 'outbox-without-relay')).toEqual([]);
  expect(skipped).toContain('OutboxTable, its relay: the function of RelayMapping cannot be told');
});

it.each(['!ImportValue sweep', '"arn:aws:lambda:eu-west-1:111122223333:function:sweep"'])(
  'does not judge a sweep that may be in another template: %s',
  (target) => {
    const { findings, skipped } = examined(good.replace('Arn: !GetAtt SweepFunction.Arn', `Arn: ${target}`));
    expect(findings.filter(({ code }) => code === 'outbox-without-sweep')).toEqual([]);
    expect(skipped).toContain('OutboxTable, its sweep: the function of SweepSchedule cannot be told');
  },
);

describe('a mistake, planted alone, is found in its line, and nothing else is:', () => {
  it.each(MISTAKES.map((mistake) => [mistake.what, mistake] as const))('%s', (_what, mistake) => {
    expect(good.split(mistake.replace)).toHaveLength(2);
    const broken = good.replace(mistake.replace, () => mistake.by);
    const lineOf = (at: string): number => {
      const before = broken.split(at);
      expect(before).toHaveLength(2);
      return (before[0] ?? '').split('\n').length;
    };
    expect(placesOf(broken)).toEqual(
      mistake.found.map(([code, at]) => `${code} at ${lineOf(at)}`).toSorted(),
    );
    const { findings } = examined(broken);
    const named = mistake.found[0]?.[0];
    for (const finding of findings) {
      expect(finding.message).not.toMatch(/undefined|NaN|\[object/);
      expect(finding.fix).not.toMatch(/undefined|NaN|\[object/);
      if (mistake.severity !== undefined && finding.code === named)
        expect(finding.severity).toBe(mistake.severity);
    }
  });

  it('every finding that there is has a mistake', () => {
    const planted = new Set(MISTAKES.flatMap(({ found }) => found.map(([code]) => code)));
    const inTemplates = Object.keys(AWS_RULES).filter((code) => !Object.hasOwn(MESSAGE_GROUP_RULES, code));
    expect(inTemplates.filter((code) => !planted.has(code))).toEqual([]);
  });
});

describe('a well-known example, written as AWS advises, has no finding:', () => {
  const folder = 'packages/cli/test/doctor/templates/public';
  const files = readdirSync(folder);
  const findingsOf = (file: string, all: boolean) =>
    doctorTemplate(
      { file, text: readFileSync(`${folder}/${file}`, 'utf8') },
      { now: Date.parse('2026-11-23'), all },
    ).findings;

  it.each(files)('%s', (file) => {
    expect(findingsOf(file, false)).toEqual([]);
  });

  it('all of them together have two findings that are optional', () => {
    const codes = files.flatMap((file) => findingsOf(file, true).map(({ code }) => code));
    expect(files).toHaveLength(10);
    expect([...new Set(codes)].toSorted()).toEqual(['mapping-metrics-off', 'queue-without-tls-policy']);
  });
});

describe('leases', () => {
  const withRuntime = (runtime: string): string[] =>
    placesOf(
      good
        .replace('Runtime: nodejs22.x # ledger', `Runtime: ${runtime}`)
        .replace('VisibilityTimeout: 61 # ledger', 'VisibilityTimeout: 60')
        .replace('leaseMs: 20000', 'leaseMs: 90000'),
    ).map((place) => place.replace(/ at .*/, ''));

  it('are judged in functions of Node', () => {
    expect(withRuntime('nodejs22.x')).toEqual(['lease-longer-than-visibility']);
  });

  it.each(['java21', 'dotnet10', 'provided.al2023', 'python3.13'])('are not judged in %s', (runtime) => {
    expect(withRuntime(runtime)).toEqual([]);
  });
});

describe('a deprecated runtime', () => {
  const on = (day: string): string[] =>
    doctorTemplate(
      { file: 'template.yaml', text: good.replace('Runtime: nodejs22.x # ledger', 'Runtime: python3.11') },
      { now: Date.parse(day) },
    ).findings.map(({ message }) => message);

  it('is found from the day on which AWS deprecates it', () => {
    expect(on('2027-06-29')).not.toContainEqual(expect.stringContaining('python3.11'));
    expect(on('2027-06-30')).toContain(
      'LedgerFunction runs on python3.11, which AWS deprecated on 2027-06-30.',
    );
  });
});

describe('the fix of a queue without a dead-letter queue', () => {
  it.each([
    ['FifoQueue: true # ledger\n', 'with FifoQueue: true and MessageRetentionPeriod'],
    ['', 'with MessageRetentionPeriod'],
  ])('names a queue of its own type', (type, named) => {
    const text = good
      .replace('FifoQueue: true # ledger\n', () => (type === '' ? 'DelaySeconds: 0\n' : type))
      .replace(/ +RedrivePolicy: !Sub '.*\n/, '');
    const finding = examined(text).findings.find(({ code }) => code === 'no-dead-letter-queue');
    expect(finding?.fix).toContain(named);
  });
});

describe('what a finding says', () => {
  it('is what, why, and the lines to write, under the resource that they belong to', () => {
    const broken = good.replace('VisibilityTimeout: 190 # orders', 'VisibilityTimeout: 60');
    expect(examined(broken).findings).toEqual([
      {
        code: 'visibility-timeout-too-short',
        severity: 'warning',
        message:
          'OrdersQueue hides a message for 60 s; with OrdersFunction it should be 185 s or more (6 × 30 s + 5 s of batching window).',
        why: expect.stringContaining('uses up a receive'),
        fix: 'OrdersQueue:\n  Properties:\n    VisibilityTimeout: 185 # 6 × 30 s + 5 s of batching window',
        line: broken.split('\n').findIndex((text) => text.includes('VisibilityTimeout: 60')) + 1,
        resource: 'OrdersQueue',
        docs: 'docs/deploying.md#what-a-function-needs',
      },
    ]);
  });

  it('is left out where the metadata of the resource ignore it, which is said', () => {
    const meant = good
      .replace('VisibilityTimeout: 190 # orders', 'VisibilityTimeout: 60')
      .replace(
        '  OrdersQueue:\n',
        '  OrdersQueue:\n    Metadata: { batchlatch: { ignore: [visibility-timeout-too-short] } }\n',
      );
    expect(examined(meant)).toMatchObject({
      findings: [],
      skipped: ['OrdersQueue: `visibility-timeout-too-short` is ignored, as its metadata say'],
    });
  });
});

describe('what cannot be judged', () => {
  const without = (text: string, by: string): string => {
    expect(good.split(text)).toHaveLength(2);
    return good.replace(text, by);
  };

  it.each([
    [
      'a parameter without a default',
      'Default: 30 }',
      '}',
      /Timeout: the parameter TimeoutSeconds has no default/,
    ],
    [
      'a condition that cannot be told',
      'VisibilityTimeout: 190 # orders',
      'VisibilityTimeout: !If [IsHere, 60, 190]',
      /VisibilityTimeout: the condition IsHere cannot be told/,
    ],
    [
      'what is looked up when it is deployed',
      'VisibilityTimeout: 190 # orders',
      "VisibilityTimeout: '{{resolve:ssm:visibility}}'",
      /VisibilityTimeout: it is looked up when it is deployed/,
    ],
    [
      'a queue of another stack',
      'EventSourceArn: !GetAtt LedgerQueue.Arn',
      'EventSourceArn: !ImportValue LedgerQueueArn',
      /LedgerMapping, its queue: Fn::ImportValue cannot be worked out/,
    ],
    [
      'a role of another stack',
      'Role: !GetAtt ConsumerRole.Arn\n      Runtime: nodejs22.x # ledger',
      'Role: arn:aws:iam::123456789012:role/ledger\n      Runtime: nodejs22.x',
      /LedgerFunction, Role: its role is not in this template/,
    ],
    [
      'a policy of somebody else',
      'Action: [dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate, dynamodb:BatchGetItem]',
      'Action: !Ref Actions',
      /OrdersFunction, permissions on ClaimsTable/,
    ],
    [
      'how many a provisioned poller starts',
      'ScalingConfig: { MaximumConcurrency: 10 }',
      'ProvisionedPollerConfig: { MaximumPollers: 2 }',
      /OrdersFunction, ReservedConcurrentExecutions: .* has provisioned pollers/,
    ],
    [
      'a queue that SAM makes for a topic',
      'Events:\n        OrderPlaced:',
      'Events:\n        Topic: { Type: SNS, Properties: { Topic: topic, SqsSubscription: true } }\n        OrderPlaced:',
      /OrderPlacedFunction, event Topic: SAM makes its queue/,
    ],
  ])('is said and is no finding: %s', (_what, text, by, said) => {
    const report = examined(
      without(text, by).replace('Parameters:\n', 'Parameters:\n  Actions: { Type: CommaDelimitedList }\n'),
    );
    expect(report.findings).toEqual([]);
    expect(report.skipped.join('\n')).toMatch(said);
  });

  it('includes a value for a parameter that the template does not have, as after a typing error', () => {
    const { skipped } = examined(good, { constructor: 'prod' });
    expect(skipped).toEqual(['the value of constructor: the template has no such parameter']);
  });

  it('includes the first value of a key that is set twice', () => {
    const { skipped } = examined(`${good.trimEnd()}\nMetadata: { A: 1, A: 2 }\n`);
    expect(skipped).toEqual([
      `the first value of A: line ${good.trimEnd().split('\n').length + 1} sets it again, and the last one counts`,
    ]);
  });

  it('can be judged with a value of the parameter', () => {
    const text = good.replace('Default: 30 }', '}');
    expect(examined(text, { TimeoutSeconds: '30' })).toMatchObject({ findings: [], skipped: [] });
    expect(examined(text, { TimeoutSeconds: '60' }).findings).toMatchObject([
      { code: 'visibility-timeout-too-short', resource: 'OrdersQueue' },
    ]);
  });
});

describe('what belongs to others', () => {
  const TABLE = (id: string): string =>
    `Resources:\n  ${id}:\n    Type: AWS::DynamoDB::Table\n    Properties: { KeySchema: [{ AttributeName: id, KeyType: HASH }] }\n`;

  it('is not judged: a table of claims of another kind, and functions that nothing invokes', () => {
    expect(examined(TABLE('InsuranceClaims'))).toEqual({ findings: [], checked: [], skipped: [] });
    const website = '  Website: { Type: AWS::Lambda::Function, Properties: { Runtime: nodejs16.x } }\n';
    expect(examined(TABLE('Pages') + website)).toEqual({ findings: [], checked: [], skipped: [] });
  });

  it('is not judged: a function that uses PartiQL on a table of its own', () => {
    const reader = `  Reader:
    Type: AWS::Serverless::Function
    Properties:
      Policies: [{ Statement: [{ Effect: Allow, Action: 'dynamodb:PartiQLInsert', Resource: !GetAtt Pages.Arn }] }]
`;
    expect(examined(TABLE('Pages') + reader)).toEqual({ findings: [], checked: [], skipped: [] });
  });

  it.each([
    ['Pages', 'dynamodb:*', []],
    ['Pages', '*', []],
    ['PageClaims', 'dynamodb:*', ['claims table PageClaims']],
  ])(
    'is not judged by its permissions alone: a table %s whose function may use %s on it',
    (id, action, expected) => {
      const writer = `  Writer:
    Type: AWS::Serverless::Function
    Properties:
      Policies: [{ Statement: [{ Effect: Allow, Action: '${action}', Resource: !GetAtt ${id}.Arn }] }]
      Events: { Rows: { Type: Kinesis, Properties: { Stream: !ImportValue rows } } }
`;
      const { checked } = examined(TABLE(id) + writer);
      expect(checked.filter((what) => what.startsWith('claims table'))).toEqual(expected);
    },
  );
});

it.each([
  '!Ref ClaimsTable',
  '!GetAtt ClaimsTable.Arn',
  "!Sub 'arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${ClaimsTable}'",
])('judges permissions on the claims table, however CLAIMS_TABLE_NAME names it: %s', (named) => {
  const text = good.replaceAll('!Ref ClaimsTable', named);
  expect(examined(text)).toMatchObject({ findings: [], skipped: [] });
  const { findings } = examined(text.replace(', dynamodb:BatchGetItem]\n', ']\n'));
  expect(findings.map(({ code }) => code)).toContain('missing-claims-permissions');
});

it.each(['arn:aws:dynamodb:*', 'arn:aws:dynamodb:eu-west-1:*', 'arn:aws:dynamodb:eu-west-1:1:*'])(
  'a wildcard at the end of an ARN means every table, and is too wide: %s',
  (arn) => {
    const { findings } = examined(
      good.replace(
        /(Action: \[dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate, dynamodb:BatchGetItem\]\s+Resource: ).*/,
        `$1'${arn}'`,
      ),
    );
    // For each function of the role.
    expect([...new Set(findings.map(({ code }) => code))]).toEqual(['wide-permissions']);
  },
);

describe('odd resources', () => {
  it.each([
    '{}',
    '[]',
    'text',
    '{ Type: 5 }',
    '{ Type: AWS::SQS::Queue, Properties: [] }',
    '{ Type: AWS::SQS::Queue, Properties: { RedrivePolicy: 5, VisibilityTimeout: [] } }',
    "{ Type: AWS::SQS::Queue, Properties: { RedrivePolicy: '{', RedriveAllowPolicy: { Ref: Gone } } }",
    '{ Type: AWS::Serverless::Function, Properties: { Events: [1], Policies: text } }',
    '{ Type: AWS::Serverless::Function, Properties: { Events: { constructor: { Type: constructor }, A: 5 }, Policies: [{ constructor: 5 }, { a: 1, b: 2 }, 7] } }',
    '{ Type: AWS::Serverless::Function, Properties: { Events: { A: { Type: SQS } }, Environment: { Variables: 3 } } }',
    '{ Type: AWS::Serverless::Function, Properties: !Ref Nothing }',
    '{ Type: AWS::Lambda::EventSourceMapping }',
    '{ Type: AWS::Lambda::EventSourceMapping, Properties: { EventSourceArn: !GetAtt [Gone, Arn], FunctionName: !Sub [] } }',
    '{ Type: AWS::Lambda::EventSourceMapping, Properties: { EventSourceArn: !GetAtt Odd.Arn, FunctionResponseTypes: { a: 1 } } }',
    '{ Type: AWS::DynamoDB::Table, Properties: { KeySchema: 1, TimeToLiveSpecification: 3 } }',
    '{ Type: AWS::DynamoDB::GlobalTable, Properties: { Replicas: 3 } }',
    '{ Type: AWS::EventsV2::Subscriber, Properties: { InvokeConfiguration: 1 } }',
    '{ Type: AWS::Events::Rule, Properties: { Targets: [1, { Arn: !GetAtt OrdersFunction.Arn }] } }',
    '{ Type: AWS::IAM::Policy, Properties: { Roles: [!Ref ConsumerRole], PolicyDocument: { Statement: [1, { Action: 5, NotResource: x }] } } }',
    '{ Type: AWS::IAM::Policy, Properties: { __proto__: { Roles: 1 }, Roles: { __proto__: 1 } } }',
  ])('do no harm: %s', (resource) => {
    const text = good.replace(/ {2}Odd: .*/, () => `  ClaimsOdd: ${resource}`);
    const { findings } = examined(text);
    // What the resource itself is found to be does not matter; the others are as they were.
    expect(
      findings.filter(({ severity, resource }) => severity === 'error' && !/Odd/.test(resource ?? '')),
    ).toEqual([]);
  });
});

it("a template in JSON is read like one in YAML, with CDK's path in the names and the lines of the file", () => {
  const text = readFileSync('packages/cli/test/doctor/templates/cdk.template.json', 'utf8');
  const { findings, skipped } = examined(text);
  expect(skipped).toEqual([]);
  expect(
    findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ code, message, line }) => [code, message, line]),
  ).toEqual([
    [
      'report-batch-item-failures-off',
      'ConsumerSqsEventSourceShopOrders0B5C1F7E (Shop/Consumer/SqsEventSource:ShopOrders) does not have `ReportBatchItemFailures`.',
      text.split('\n').findIndex((line) => line.includes('"ConsumerSqsEventSourceShopOrders0B5C1F7E"')) + 1,
    ],
  ]);
});

it.each([
  ['template.yaml', (text: string) => text],
  ['README.md', (text: string) => /```yaml\n([^]*?)```/.exec(text)?.[1] ?? ''],
])('%s of this repository has no errors', (file, templateOf) => {
  const { findings, skipped } = examined(templateOf(readFileSync(file, 'utf8')));
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(skipped).toEqual([]);
});

it.each([
  [
    'of what a SimpleTable of SAM cannot have that it needs another type',
    '{ Type: AWS::Serverless::SimpleTable }',
    'make an AWS::DynamoDB::Table of it',
    ['ttl-off', 'claims-table-without-deletion-protection', 'overdue-index-missing'],
  ],
  [
    'of what each replica of a global table has for itself where it belongs',
    '{ Type: AWS::DynamoDB::GlobalTable, Properties: { Replicas: [{ Region: eu-west-1 }] } }',
    '# in each entry of Replicas',
    ['claims-table-without-recovery', 'claims-table-without-deletion-protection'],
  ],
])('says %s', (_, table, text, expected) => {
  const { findings } = examined(`Resources:
  ClaimsTable: ${table}
  Fn:
    Type: AWS::Serverless::Function
    Properties: { Environment: { Variables: { CLAIMS_TABLE_NAME: !Ref ClaimsTable } } }
`);
  const codes = findings.filter(({ fix }) => fix.includes(text)).map(({ code }) => code);
  expect(codes).toEqual(expected);
});
