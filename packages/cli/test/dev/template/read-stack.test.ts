import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type StackSource, readStack } from '../../../src/dev/template/read-stack.ts';
import type { Places } from '../../../src/dev/places.ts';
import type { DevFunction, DevStack } from '../../../src/dev/stack.ts';

const places: Places = {
  sqs: 'http://127.0.0.1:1001',
  dynamodb: 'http://127.0.0.1:1002',
  eventbridge: 'http://127.0.0.1:1003',
  kinesis: 'http://127.0.0.1:1004',
};

const read = (text: string, more: Partial<StackSource> = {}): DevStack =>
  readStack({ file: '/home/ann/shop/template.yaml', text, ...more }, places);

/** A template of one function with these lines in its properties. */
const withFunction = (lines: string, others = ''): string => `
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      Handler: app.handler
      CodeUri: src
${lines
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
${others}`;

const functionOf = (lines: string, others = '', more: Partial<StackSource> = {}): DevFunction => {
  const [fn] = read(withFunction(lines, others), more).functions;
  if (fn === undefined) throw new Error('There is no function');
  return fn;
};

const QUEUE = '  Orders: { Type: AWS::SQS::Queue }\n  Dead: { Type: AWS::SQS::Queue }\n';

describe("The project's templates are read:", () => {
  it.each([
    [
      'template.yaml',
      { functions: 3, queues: 3, tables: 2, streams: 0, triggers: ['rule', 'schedule', 'sqs'] },
    ],
    [
      'examples/orders-fifo/template.yaml',
      { functions: 1, queues: 2, tables: 2, streams: 0, triggers: ['sqs'] },
    ],
    [
      'examples/orders-postgres/template.yaml',
      { functions: 1, queues: 2, tables: 0, streams: 0, triggers: ['sqs'] },
    ],
    [
      'examples/shop/template.yaml',
      {
        functions: 5,
        queues: 5,
        tables: 3,
        streams: 0,
        triggers: ['dynamodb', 'http', 'schedule', 'sqs', 'sqs'],
      },
    ],
    [
      'examples/sources/template.yaml',
      { functions: 5, queues: 3, tables: 3, streams: 1, triggers: ['dynamodb', 'kinesis', 'sqs'] },
    ],
  ])('%s', (file, expected) => {
    const stack = readStack({ file, text: readFileSync(file, 'utf8') }, places);
    const triggers = stack.functions.flatMap((fn) => fn.triggers.map(({ kind }) => kind));
    expect({
      functions: stack.functions.length,
      queues: stack.queues.length,
      tables: stack.tables.length,
      streams: stack.streams.length,
      triggers: triggers.toSorted(),
    }).toEqual(expected);
    expect(JSON.stringify(stack)).not.toMatch(/<[A-Z?]|\$\{/);
    expect(stack.functions.every(({ folder }) => path.isAbsolute(folder))).toBe(true);
  });
});

describe('A name that depends on itself is refused, as CloudFormation does:', () => {
  const queue = (id: string, name: string): string =>
    `  ${id}: { Type: AWS::SQS::Queue, Properties: { QueueName: !Sub '${name}' } }\n`;

  it.each([
    ['one that names itself', queue('A', '${A.QueueName}-x'), 'A → A'],
    ['two that name each other', queue('A', '${B.Arn}-${B.Arn}') + queue('B', '${A}-${A}'), 'B → A → B'],
  ])('%s', (_what, queues, circle) => {
    expect(() => read(`Resources:\n${queues}`)).toThrow(
      `/home/ann/shop/template.yaml: the name of ${circle.at(0)} depends on itself: ${circle}.`,
    );
  });
});

describe('A function', () => {
  it('has the defaults of Lambda', () => {
    expect(functionOf('')).toMatchObject({
      id: 'Fn',
      name: 'shop-Fn',
      folder: '/home/ann/shop/src',
      entry: 'app',
      exportName: 'handler',
      timeoutMs: 3_000,
      memoryMb: 128,
      reservedConcurrency: undefined,
      buildProperties: {},
      asynchronous: { maximumRetries: 2, maximumAgeMs: 21_600_000 },
      triggers: [],
    });
  });

  it('has what the template says, with the globals', () => {
    const fn = functionOf(
      'FunctionName: orders\nReservedConcurrentExecutions: 4\nEnvironment: { Variables: { B: 2, C: true } }',
      'Globals: { Function: { Timeout: "30", Environment: { Variables: { A: x, B: 1 } } } }',
    );
    expect(fn).toMatchObject({ name: 'orders', timeoutMs: 30_000, reservedConcurrency: 4 });
    expect(fn.environment).toMatchObject({ A: 'x', B: '2', C: 'true' });
  });

  it.each([
    ['src/handlers/orders.handler', 'src/handlers/orders', 'handler'],
    ['orders.v1.handler', 'orders', 'v1.handler'],
    ['./app.handler', './app', 'handler'],
  ])('is found by its handler %s', (handler, entry, exportName) => {
    const text = withFunction('').replace('app.handler', handler);
    expect(read(text).functions[0]).toMatchObject({ entry, exportName });
  });

  it('is built from its first entry point, with its build properties', () => {
    const text = withFunction('').replace(
      '    Properties:',
      '    Metadata: { BuildMethod: esbuild, BuildProperties: { EntryPoints: [a.ts, b.ts], Format: esm } }\n    Properties:',
    );
    expect(read(text).functions[0]).toMatchObject({
      entry: 'a.ts',
      buildProperties: { EntryPoints: ['a.ts', 'b.ts'], Format: 'esm' },
    });
  });

  it('is told where the services of this machine are, whatever the template says', () => {
    const { environment } = functionOf(
      'Environment: { Variables: { AWS_ENDPOINT_URL_SQS: https://sqs.example.com, AWS_ENDPOINT_URL_DYNAMODB: !Ref AWS::NoValue, GONE: !Ref AWS::NoValue } }',
    );
    expect(environment).toEqual({
      AWS_ENDPOINT_URL_SQS: places.sqs,
      AWS_ENDPOINT_URL_DYNAMODB: places.dynamodb,
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: places.dynamodb,
      AWS_ENDPOINT_URL_EVENTBRIDGE: places.eventbridge,
      AWS_ENDPOINT_URL_KINESIS: places.kinesis,
    });
  });

  it('gets the name of a table that batchlatch is given by its ARN, which the emulators do not take', () => {
    const { environment } = functionOf(
      'Environment: { Variables: { CLAIMS_TABLE_NAME: !GetAtt T.Arn, OUTBOX_TABLE_NAME: !Sub "${T.Arn}", OWN: !GetAtt T.Arn } }',
      '  T: { Type: AWS::Serverless::SimpleTable }',
    );
    expect(environment).toMatchObject({
      CLAIMS_TABLE_NAME: 'shop-T',
      OUTBOX_TABLE_NAME: 'shop-T',
      OWN: 'arn:aws:dynamodb:us-east-1:000000000000:table/shop-T',
    });
  });

  it('gets what is given for all functions, and for it alone', () => {
    const { environment } = functionOf('Environment: { Variables: { A: x, B: x, C: x } }', '', {
      environmentOverrides: {
        Parameters: { A: 'all', B: 'all' },
        'shop-Fn': { B: 'by name' },
        Other: { C: 'other' },
      },
    });
    expect(environment).toMatchObject({ A: 'all', B: 'by name', C: 'x' });
  });

  it.each([
    ['Runtime: python3.13', 'its runtime is python3.13'],
    ['PackageType: Image', 'its code is an image'],
    ['ImageUri: 1.dkr.ecr.eu-west-1.amazonaws.com/a:b', 'its code is an image'],
    ['Code: { ImageUri: 1.dkr.ecr.eu-west-1.amazonaws.com/a:b }', 'its code is an image'],
    ['InlineCode: "exports.handler = 1"', 'its code is in the template'],
    ['CodeUri: s3://bucket/key', 'its code is in Amazon S3'],
    ['CodeUri: { Bucket: a, Key: b }', 'its code is in Amazon S3'],
    ['CodeUri: app.zip', 'its code is an archive'],
  ])('does not run here with %s', (line, why) => {
    const text = withFunction(line).replace(/ {6}CodeUri: src\n/, '');
    const stack = read(text);
    expect(stack.functions).toEqual([]);
    expect(stack.notes.join()).toContain(`Fn does not run here: ${why}`);
  });

  it('that is durable is refused by name', () => {
    const { functions, notes } = read(withFunction('DurableConfig: { ExecutionTimeout: 3600 }'));
    expect(functions).toEqual([]);
    expect(notes).toEqual([
      'Fn does not run here: it has `DurableConfig`, and durable executions are run by AWS alone.',
    ]);
  });

  it('of CDK is where its asset is', () => {
    const [fn] = read(
      JSON.stringify({
        Resources: {
          Fn1: {
            Type: 'AWS::Lambda::Function',
            Metadata: { 'aws:asset:path': 'asset.abc', 'aws:asset:property': 'Code' },
            Properties: {
              Handler: 'index.handler',
              Runtime: 'nodejs22.x',
              Code: { S3Bucket: 'b', S3Key: 'k' },
            },
          },
        },
      }),
    ).functions;
    expect(fn).toMatchObject({ folder: '/home/ann/shop/asset.abc', entry: 'index' });
  });
});

describe('References are what they name on this machine:', () => {
  it.each([
    ['!Ref Orders', 'http://127.0.0.1:1001/000000000000/shop-Orders'],
    ['!GetAtt Orders.QueueUrl', 'http://127.0.0.1:1001/000000000000/shop-Orders'],
    ['!GetAtt Orders.Arn', 'arn:aws:sqs:us-east-1:000000000000:shop-Orders'],
    ['!GetAtt [Orders, QueueName]', 'shop-Orders'],
    ['!Ref Table', 'charges'],
    ['!GetAtt Table.Arn', 'arn:aws:dynamodb:us-east-1:000000000000:table/charges'],
    ['!Ref Fn', 'shop-Fn'],
    ['!GetAtt Fn.Arn', 'arn:aws:lambda:us-east-1:000000000000:function:shop-Fn'],
    ['!Ref Stream', 'shop-Stream'],
    ['!Ref Bus', 'shop-bus'],
    ['!Sub "${AWS::StackName}-${AWS::Region}-${AWS::AccountId}-${!x}"', 'shop-us-east-1-000000000000-${x}'],
    ['!Sub ["${Name}/${Orders.QueueName}", { Name: !Ref Table }]', 'charges/shop-Orders'],
    ['!Join ["-", [!Ref Table, !Ref AWS::Partition]]', 'charges-aws'],
    ['!Select [5, !Split [":", !GetAtt Orders.Arn]]', 'shop-Orders'],
    ['!If [IsHere, here, there]', 'here'],
    ['!FindInMap [ByRegion, !Ref AWS::Region, Name]', 'virginia'],
    ['!Ref Stage', 'prod'],
    ['!Ref Topic', 'arn:aws:sns:us-east-1:000000000000:shop-Topic'],
    ['!GetAtt Bucket.Arn', 'arn:aws:s3:::shop-Bucket'],
    ['!GetAtt Role.Arn', 'arn:aws:iam::000000000000:role/shop-Role'],
    ['!Ref FnRole', 'shop-FnRole'],
    ['!Base64 orders', 'b3JkZXJz'],
    ['{ Fn::Base64: !Sub "${Orders.QueueName}" }', 'c2hvcC1PcmRlcnM='],
  ])('%s', (value, expected) => {
    const others = `${QUEUE}
  Table: { Type: AWS::Serverless::SimpleTable, Properties: { TableName: charges } }
  Stream: { Type: AWS::Kinesis::Stream, Properties: { ShardCount: 2 } }
  Bus: { Type: AWS::Events::EventBus, Properties: { Name: !Sub "\${AWS::StackName}-bus" } }
  Topic: { Type: AWS::SNS::Topic }
  Bucket: { Type: AWS::S3::Bucket }
  Role: { Type: AWS::IAM::Role }
Parameters: { Stage: { Type: String, Default: dev } }
Conditions: { IsHere: !Equals [!Ref AWS::Region, us-east-1] }
Mappings: { ByRegion: { us-east-1: { Name: virginia } } }
`;
    const { environment } = functionOf(`Environment:\n  Variables:\n    V: ${value}`, others, {
      parameters: { Stage: 'prod' },
    });
    expect(environment['V']).toBe(expected);
  });

  it('of what does not run here there is a note', () => {
    const { notes } = read(
      withFunction(
        'Environment: { Variables: { TOPIC: !Ref Topic, ROLE: !Sub "${Role.Arn}" } }',
        '  Topic: { Type: AWS::SNS::Topic }',
      ),
    );
    expect(notes).toEqual([
      'TOPIC of Fn names Topic, of type AWS::SNS::Topic, which does not run here.',
      'ROLE of Fn names Role, which is not in this template.',
      'Not run here: AWS::SNS::Topic.',
    ]);
  });

  it.each([
    ['!ImportValue shared-table', 'Fn::ImportValue cannot be worked out'],
    ['"{{resolve:ssm:/name}}"', 'it is looked up when it is deployed'],
    ['!Ref Secret', 'the parameter Secret has no default'],
    ['!Sub "a-${Secret}"', 'the parameter Secret has no default'],
  ])('a variable of %s is left out, with a note', (value, why) => {
    const text = withFunction(
      `Environment:\n  Variables:\n    V: ${value}`,
      'Parameters: { Secret: { Type: String } }',
    );
    const stack = read(text);
    expect(stack.functions[0]?.environment).not.toHaveProperty('V');
    expect(stack.notes.join()).toContain(`Fn runs without V: ${why}`);
    const given = read(text, { environmentOverrides: { Fn: { V: 'given' } } });
    expect(given.functions[0]?.environment['V']).toBe('given');
    expect(given.notes).toEqual([]);
  });
});

describe('Triggers are read:', () => {
  const trigger = (type: string, properties: string, others = QUEUE): unknown =>
    functionOf(`Events: { E: { Type: ${type}, Properties: ${properties} } }`, others).triggers[0];

  it('a queue, with the defaults of its mapping', () => {
    expect(trigger('SQS', '{ Queue: !GetAtt Orders.Arn }')).toEqual({
      kind: 'sqs',
      id: 'FnE',
      queueArn: 'arn:aws:sqs:us-east-1:000000000000:shop-Orders',
      batchSize: 10,
      windowMs: 0,
      filters: [],
      reportsBatchItemFailures: false,
      isEnabled: true,
      maximumConcurrency: undefined,
    });
  });

  it('a queue, with all that a mapping may say', () => {
    const properties = `{ Queue: !GetAtt Orders.Arn, BatchSize: 5, MaximumBatchingWindowInSeconds: 2, Enabled: false,
      FunctionResponseTypes: [ReportBatchItemFailures], ScalingConfig: { MaximumConcurrency: 3 },
      FilterCriteria: { Filters: [{ Pattern: '{"body":{"kind":["paid"]}}' }] } }`;
    expect(trigger('SQS', properties)).toMatchObject({
      batchSize: 5,
      windowMs: 2_000,
      filters: [{ body: { kind: ['paid'] } }],
      reportsBatchItemFailures: true,
      isEnabled: false,
      maximumConcurrency: 3,
    });
  });

  it('a stream of a table', () => {
    const table =
      '  Table: { Type: AWS::DynamoDB::Table, Properties: { StreamSpecification: { StreamViewType: NEW_IMAGE } } }\n';
    const properties = `{ Stream: !GetAtt Table.StreamArn, StartingPosition: TRIM_HORIZON, MaximumRetryAttempts: 4,
      MaximumRecordAgeInSeconds: 60, BisectBatchOnFunctionError: true, ParallelizationFactor: 2,
      DestinationConfig: { OnFailure: { Type: SQS, Destination: !GetAtt Dead.Arn } } }`;
    expect(trigger('DynamoDB', properties, QUEUE + table)).toMatchObject({
      kind: 'dynamodb',
      streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/shop-Table/stream/2024-01-01T00:00:00.000',
      batchSize: 100,
      startingPosition: 'TRIM_HORIZON',
      maximumRetries: 4,
      maximumRecordAgeMs: 60_000,
      bisectsOnError: true,
      parallelizationFactor: 2,
      onFailure: 'arn:aws:sqs:us-east-1:000000000000:shop-Dead',
    });
  });

  it('a rule', () => {
    expect(
      trigger(
        'EventBridgeRule',
        '{ Pattern: { source: [shop] }, Input: "{}", EventBusName: "arn:aws:events:r:1:event-bus/b", State: DISABLED }',
      ),
    ).toEqual({
      kind: 'rule',
      id: 'FnE',
      bus: 'b',
      pattern: { source: ['shop'] },
      input: '{}',
      isEnabled: false,
    });
  });

  it('schedules, of rules and of the scheduler', () => {
    expect(trigger('Schedule', '{ Schedule: rate(1 minute), Enabled: true }')).toMatchObject({
      kind: 'schedule',
      service: 'events',
      expression: 'rate(1 minute)',
      arn: 'arn:aws:events:us-east-1:000000000000:rule/FnE',
    });
    expect(
      trigger(
        'ScheduleV2',
        '{ ScheduleExpression: "cron(0 9 ? * MON *)", ScheduleExpressionTimezone: Europe/Paris }',
      ),
    ).toMatchObject({
      service: 'scheduler',
      timeZone: 'Europe/Paris',
      arn: 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/FnE',
    });
  });

  it('resources of their own that name a function', () => {
    const others = `${QUEUE}
  Mapping: { Type: AWS::Lambda::EventSourceMapping, Properties: { FunctionName: !Ref Fn, EventSourceArn: !GetAtt Orders.Arn } }
  Rule:
    Type: AWS::Events::Rule
    Properties:
      EventPattern: { source: [shop] }
      Targets: [{ Id: a, Arn: !GetAtt Fn.Arn }, { Id: b, Arn: !GetAtt Orders.Arn }, { Id: c, Arn: !GetAtt Fn.Arn, Input: '{"a":1}' }]
  Clock: { Type: AWS::Events::Rule, Properties: { ScheduleExpression: rate(1 hour), Targets: [{ Id: a, Arn: !GetAtt Fn.Arn }] } }
  Later: { Type: AWS::Scheduler::Schedule, Properties: { ScheduleExpression: rate(1 day), Target: { Arn: !GetAtt Fn.Arn, Input: x } } }
  Config: { Type: AWS::Lambda::EventInvokeConfig, Properties: { FunctionName: !Ref Fn, Qualifier: $LATEST, MaximumRetryAttempts: 0 } }
`;
    const fn = functionOf('', others);
    expect(fn.triggers.map(({ kind, id }) => [kind, id])).toEqual([
      ['sqs', 'Mapping'],
      ['rule', 'Rule'],
      ['rule', 'Rule.c'],
      ['schedule', 'Clock'],
      ['schedule', 'Later'],
    ]);
    expect(fn.triggers[2]).toMatchObject({ input: '{"a":1}' });
    expect(fn.asynchronous.maximumRetries).toBe(0);
  });

  it.each(['!GetAtt Consumer.ConsumerARN', '!Ref Consumer'])('a consumer of a stream: %s', (consumer) => {
    const others = `
  Stream: { Type: AWS::Kinesis::Stream, Properties: { ShardCount: 1 } }
  Consumer: { Type: AWS::Kinesis::StreamConsumer, Properties: { StreamARN: !GetAtt Stream.Arn, ConsumerName: c } }
`;
    const text = withFunction(
      `Events: { E: { Type: Kinesis, Properties: { Stream: ${consumer}, StartingPosition: LATEST } } }`,
      others,
    );
    const { functions, notes } = read(text);
    expect(functions[0]?.triggers).toMatchObject([
      { kind: 'kinesis', streamArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/shop-Stream' },
    ]);
    expect(notes).toEqual(['Fn, event E reads its stream without the enhanced fan-out of its consumer.']);
  });

  it('a queue that a rule or a schedule sends to', () => {
    const { queueTargets, notes } = read(`
Resources:
  Orders: { Type: AWS::SQS::Queue }
  Steps: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true } }
  Rule:
    Type: AWS::Events::Rule
    Properties:
      EventPattern: { source: [shop] }
      Targets: [{ Id: a, Arn: !GetAtt Orders.Arn }, { Id: b, Arn: !GetAtt Steps.Arn, SqsParameters: { MessageGroupId: all } }, { Id: c, Arn: !Ref Topic }]
  Nightly: { Type: AWS::Scheduler::Schedule, Properties: { ScheduleExpression: rate(1 day), Target: { Arn: !GetAtt Orders.Arn, Input: x } } }
  Topic: { Type: AWS::SNS::Topic }
`);
    expect(
      queueTargets.map(({ queueArn, messageGroupId, trigger: { id, input } }) => [
        queueArn.split(':').at(-1),
        messageGroupId,
        id,
        input,
      ]),
    ).toEqual([
      ['shop-Orders', undefined, 'Rule', undefined],
      ['shop-Steps.fifo', 'all', 'Rule.b', undefined],
      ['shop-Orders', undefined, 'Nightly', 'x'],
    ]);
    expect(notes).toContain(
      'Rule does not run here: arn:aws:sns:us-east-1:000000000000:shop-Topic is not a function or queue of this template.',
    );
  });

  it('no rule that sends to a FIFO queue without a message group', () => {
    const text = `{ Resources: {
      Steps: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true } },
      Rule: { Type: AWS::Events::Rule, Properties: { EventPattern: { source: [a] }, Targets: [{ Id: a, Arn: { Fn::GetAtt: [Steps, Arn] } }] } } } }`;
    expect(() => read(text)).toThrow('its target needs `SqsParameters.MessageGroupId`');
  });

  it('a source that is elsewhere is a note', () => {
    const { functions, notes } = read(
      withFunction(
        'Events: { E: { Type: SQS, Properties: { Queue: "arn:aws:sqs:eu-west-1:1:far" } }, A: { Type: Api, Properties: {} } }',
      ),
    );
    expect(functions[0]?.triggers).toEqual([]);
    expect(notes).toEqual([
      'Fn, event E does not run here: arn:aws:sqs:eu-west-1:1:far is not a queue or stream of this template.',
      'Events of these types invoke no function here: Api.',
    ]);
  });

  it.each([
    ['!ImportValue far', 'Fn::ImportValue cannot be worked out'],
    ["'{{resolve:ssm:far}}'", 'it is looked up when it is deployed ({{resolve:…}})'],
    ['!Ref Far', 'the parameter Far has no default; give it with `--parameter-overrides`'],
  ])('a source or destination that cannot be told is a note too: %s', (arn, why) => {
    const { functions, notes } = read(
      withFunction(
        `Events: { E: { Type: SQS, Properties: { Queue: ${arn} } } }\nDeadLetterQueue: { Type: SQS, TargetArn: ${arn} }`,
        'Parameters: { Far: { Type: String } }',
      ),
    );
    expect(functions[0]?.triggers).toEqual([]);
    expect(notes).toEqual([
      `Failures of Fn are not sent to their queue: ${why}.`,
      `Fn, event E does not run here: ${why}.`,
    ]);
  });

  it('what a function fails to do goes to queues of the template only', () => {
    const fn = functionOf(
      'DeadLetterQueue: { Type: SQS, TargetArn: !GetAtt Dead.Arn }\nEventInvokeConfig: { MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 60, DestinationConfig: { OnFailure: { Type: SNS, Destination: "arn:aws:sns:us-east-1:1:x" } } }',
      QUEUE,
    );
    expect(fn.asynchronous).toEqual({
      maximumRetries: 1,
      maximumAgeMs: 60_000,
      onFailure: undefined,
      deadLetterQueue: 'arn:aws:sqs:us-east-1:000000000000:shop-Dead',
    });
  });
});

describe('What cannot be used is an error with file and line:', () => {
  it.each([
    ['no handler', withFunction('').replace(/ {6}Handler.*\n/, ''), 'line 3: Fn has no `Handler`'],
    [
      'a handler without a dot',
      withFunction('').replace('app.handler', 'app'),
      'line 6: `Handler` of Fn must be',
    ],
    [
      'a timeout of no number',
      withFunction('Timeout: soon'),
      'line 8: `Timeout` of Fn cannot be used: it must be a number',
    ],
    [
      'a timeout out of range',
      withFunction('Timeout: 901'),
      'line 8: `Timeout` of Fn must be a whole number from 1 to 900',
    ],
    [
      'a batch of nothing',
      withFunction(
        'Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Orders.Arn, BatchSize: 0 } } }',
        QUEUE,
      ),
      'line 8: `BatchSize` of Fn, event E must be a whole number from 1 to 10000',
    ],
    [
      'a concurrency that AWS does not have',
      withFunction(
        'Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Orders.Arn, ScalingConfig: { MaximumConcurrency: 1 } } } }',
        QUEUE,
      ),
      'line 8: `ScalingConfig.MaximumConcurrency` of Fn, event E must be a whole number from 2 to 1000',
    ],
    [
      'a parameter without a value',
      withFunction('Timeout: !Ref T', 'Parameters: { T: { Type: Number } }'),
      'line 8: `Timeout` of Fn cannot be used: the parameter T has no default; give it with `--parameter-overrides`',
    ],
    [
      'variables that are no mapping',
      withFunction('Environment: { Variables: [A] }'),
      'line 8: `Environment.Variables` of Fn must be a mapping',
    ],
    [
      'a variable that is a list',
      withFunction('Environment:\n  Variables:\n    A: [1]'),
      'line 10: the variable A of Fn must be a text',
    ],
    [
      'a pattern that AWS refuses',
      withFunction(
        'Events:\n  E:\n    Type: EventBridgeRule\n    Properties:\n      Pattern: { source: shop }',
      ),
      'line 12: `Pattern` of Fn, event E is refused: "source" must be an object or an array',
    ],
    [
      'a filter that is no JSON',
      withFunction(
        'Events:\n  E:\n    Type: SQS\n    Properties: { Queue: !GetAtt Orders.Arn, FilterCriteria: { Filters: [{ Pattern: x }] } }',
        QUEUE,
      ),
      'line 11: a filter of Fn, event E is refused: its `Pattern` is not JSON',
    ],
    [
      'a schedule without an expression',
      withFunction('Events:\n  E: { Type: Schedule, Properties: {} }'),
      'Fn, event E has no `Schedule`',
    ],
    [
      'a FIFO queue with a wrong name',
      'Resources:\n  Q: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true, QueueName: q } }',
      'line 2: Q is a FIFO queue',
    ],
    [
      'a redrive policy without a count',
      'Resources:\n  Q: { Type: AWS::SQS::Queue, Properties: { RedrivePolicy: { deadLetterTargetArn: x } } }',
      'line 2: the redrive policy of Q must have a `maxReceiveCount` from 1 to 1000',
    ],
    [
      'a stream without a starting position',
      withFunction(
        'Events: { E: { Type: Kinesis, Properties: { Stream: !GetAtt S.Arn } } }',
        '  S: { Type: AWS::Kinesis::Stream }',
      ),
      'Fn, event E has no `StartingPosition`',
    ],
    [
      'a table without a stream',
      withFunction(
        'Events: { E: { Type: DynamoDB, Properties: { Stream: !GetAtt T.StreamArn, StartingPosition: LATEST } } }',
        '  T: { Type: AWS::DynamoDB::Table }',
      ),
      'Fn, event E reads T, which has no stream: set its `StreamSpecification`',
    ],
  ])('%s', (_name, text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).toThrow('/home/ann/shop/template.yaml');
  });
});

describe('Odd templates are read or refused, and never hang:', () => {
  it.each([
    [
      'a name that needs itself',
      'Resources: { Q: { Type: AWS::SQS::Queue, Properties: { QueueName: !Ref Q } } }',
    ],
    [
      'names that need each other',
      'Resources: { A: { Type: AWS::SQS::Queue, Properties: { QueueName: !GetAtt B.QueueName } }, B: { Type: AWS::SQS::Queue, Properties: { QueueName: !GetAtt A.QueueName } } }',
    ],
    [
      'members of the prototype',
      'Resources: { constructor: { Type: AWS::SQS::Queue }, __proto__: { Type: AWS::SQS::Queue } }',
    ],
    [
      'references to members of the prototype',
      withFunction('Environment: { Variables: { A: !Ref toString, B: !GetAtt constructor.name } }'),
    ],
    ['a resource that is a text', 'Resources: { A: x, B: [], C: null, D: { Type: 1 } }'],
    [
      'properties that are a list',
      'Resources: { Fn: { Type: AWS::Serverless::Function, Properties: [1] }, Q: { Type: AWS::SQS::Queue, Properties: x } }',
    ],
    ['events that are a list', withFunction('Events: [1]')],
    ['an event that is a text', withFunction('Events: { E: x }')],
    ['a macro', 'Resources: { "Fn::ForEach::X": [x, [a, b], { Q: { Type: AWS::SQS::Queue } }] }'],
    [
      'a redrive policy of a text',
      'Resources: { Q: { Type: AWS::SQS::Queue, Properties: { RedrivePolicy: "{" } } }',
    ],
  ])('%s', (_name, text) => {
    let error: unknown;
    try {
      expect(read(text).notes).toBeInstanceOf(Array);
    } catch (caught) {
      error = caught;
    }
    expect(error === undefined || (error as { code?: string }).code === 'BATCHLATCH_CONFIGURATION').toBe(
      true,
    );
  });

  it('a condition that does not hold takes its resource away', () => {
    const text =
      'Conditions: { Never: !Equals [a, b] }\nResources: { Q: { Type: AWS::SQS::Queue, Condition: Never } }';
    expect(read(text).queues).toEqual([]);
  });

  it('a dead-letter queue of another stack is a note', () => {
    const { queues, notes } = read(
      'Resources: { Q: { Type: AWS::SQS::Queue, Properties: { RedrivePolicy: { deadLetterTargetArn: "arn:aws:sqs:r:1:far", maxReceiveCount: 3 } } } }',
    );
    expect(queues[0]?.attributes).toEqual({});
    expect(notes.join()).toContain('Q has no dead-letter queue here');
  });

  it('the folder names the stack, as far as it can', () => {
    const names = ['/a/my shop!/t.yaml', '/1/t.yaml', '/t.yaml'].map(
      (file) => read('Resources: { Q: { Type: AWS::SQS::Queue } }', { file }).queues[0]?.name,
    );
    expect(names).toEqual(['my-shop-Q', 'batchlatch-dev-Q', 'batchlatch-dev-Q']);
  });

  it('is named as it is told', () => {
    const { queues } = read('Resources: { Q: { Type: AWS::SQS::Queue } }', { stackName: 'shop-7' });
    expect(queues[0]?.name).toBe('shop-7-Q');
  });
});

it.each(['../../../../../test/orders', 'orders-function', '__proto__.x'])(
  'A function whose logical id AWS refuses is refused, since folders are called by it: %s',
  (id) => {
    const text = `Resources:\n  '${id}': { Type: AWS::Serverless::Function, Properties: { Handler: a.b } }`;
    expect(() => read(text)).toThrow(`line 2: the logical id \`${id}\` must have letters and digits only`);
  },
);

it('gives long logical ids with one beginning names that differ', () => {
  const id = 'PaymentsServiceOrdersProcessingQueue';
  const { queues } = read(
    `Resources:
  ${id}Queue1A2B3C4D:
    Type: AWS::SQS::Queue
    Properties:
      RedrivePolicy: { deadLetterTargetArn: !GetAtt ${id}DeadLetterQueue5E6F.Arn, maxReceiveCount: 5 }
  ${id}DeadLetterQueue5E6F: { Type: AWS::SQS::Queue }`,
    { stackName: 'payments-service-production' },
  );
  const [orders, dead] = queues;
  expect(orders?.name).toMatch(
    /^payments-service-production-PaymentsServiceOrdersProce[a-zA-Z]*-[0-9a-f]{8}$/,
  );
  expect(orders?.name).toHaveLength(64);
  expect(dead?.name).not.toBe(orders?.name);
  expect(orders?.attributes['RedrivePolicy']).toContain(dead?.arn);
});

it('A queue that is FIFO by a parameter has a name like those of CloudFormation', () => {
  const text = `Parameters: { Ordered: { Type: String, Default: true } }
Resources: { Orders: { Type: AWS::SQS::Queue, Properties: { FifoQueue: !Ref Ordered } } }`;
  expect(read(text).queues.map(({ name }) => name)).toEqual(['shop-Orders.fifo']);
  expect(read(text, { parameters: { Ordered: 'false' } }).queues.map(({ name }) => name)).toEqual([
    'shop-Orders',
  ]);
});

it.each([
  'Type: MSK, Properties: { Stream: !Ref Cluster, Topics: [a], StartingPosition: LATEST }',
  'Type: SelfManagedKafka, Properties: { KafkaBootstrapServers: [a], Topics: [a], StartingPosition: LATEST }',
])('Of Kafka nothing is needed, because it is not read here: %s', (event) => {
  const { functions, notes } = read(
    withFunction(`Events: { E: { ${event} } }`, 'Parameters: { Cluster: { Type: String } }\n'),
  );
  expect(functions.map(({ triggers }) => triggers)).toEqual([[]]);
  expect(notes).toContain('Fn, event E does not run here: it reads Kafka.');
});

it('A key that is set twice is told', () => {
  const { functions, notes } = read(withFunction('Timeout: 5\nTimeout: 7'));
  expect(functions.map(({ timeoutMs }) => timeoutMs)).toEqual([7_000]);
  expect(notes).toEqual(['The first value of Timeout is not used: line 9 sets it again.']);
});

it('a parameter that a condition lacks is named, with how to give it', () => {
  const text = `Parameters: { Stage: { Type: String } }
Conditions: { IsProd: !Equals [!Ref Stage, prod] }
Resources:
  Q: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: !If [IsProd, 180, 60] } }
`;
  expect(() => read(text)).toThrow(
    '`VisibilityTimeout` of Q cannot be used: the condition IsProd cannot be told: ' +
      'the parameter Stage has no default; give it with `--parameter-overrides`.',
  );
});

it('of several settings of asynchronous invocations one applies, and there is a note', () => {
  const { functions, notes } = read(`Resources:
  Fn: { Type: AWS::Serverless::Function, Properties: { CodeUri: ., Handler: a.handler, Runtime: nodejs22.x } }
  Live:
    Type: AWS::Lambda::EventInvokeConfig
    Properties: { FunctionName: !Ref Fn, Qualifier: live, MaximumRetryAttempts: 0 }
  Latest:
    Type: AWS::Lambda::EventInvokeConfig
    Properties: { FunctionName: !Ref Fn, Qualifier: $LATEST, MaximumRetryAttempts: 1 }
  `);
  expect(functions[0]?.asynchronous.maximumRetries).toBe(0);
  expect(notes).toEqual([
    'Fn has several EventInvokeConfigs, for its aliases or versions: here only its own applies, or the first.',
  ]);
});

it('of a value for a parameter or a function that the template does not have, there is a note', () => {
  const text = withFunction('FunctionName: orders', 'Parameters: { Stage: { Type: String, Default: dev } }');
  const { notes } = read(text, {
    parameters: { Stage: 'prod', Stagee: 'prod' },
    environmentOverrides: { Parameters: { A: '1' }, Fn: {}, orders: {}, Order: { A: '2' } },
  });
  expect(notes).toEqual([
    'The value of Stagee is not used: the template has no such parameter.',
    'The variables of Order are not used: the template has no such function.',
  ]);
});

it.each([
  ['EntryPoints: [src/mail.ts, src/app.ts]', 'src/app.ts'],
  ['EntryPoints: [mail.ts, other.ts]', 'mail.ts'],
  ['EntryPoints: [webapp.ts, app.mts]', 'app.mts'],
  ['Format: esm', 'app'],
])('With %s the handler of app is in %s', (properties, entry) => {
  const text = withFunction('').replace(
    'Type: AWS::Serverless::Function',
    `Type: AWS::Serverless::Function\n    Metadata: { BuildProperties: { ${properties} } }`,
  );
  expect(read(text).functions.map((fn) => fn.entry)).toEqual([entry]);
});

it('A variable that is a boolean of YAML 1.1 has the text that it has on AWS', () => {
  const { environment } = functionOf(
    'Environment: { Variables: { A: yes, B: Off, C: "on", D: 012, E: 1.50 } }',
  );
  expect(environment).toMatchObject({ A: 'true', B: 'false', C: 'on', D: '012', E: '1.5' });
});

it('A rule whose target cannot be told is told once', () => {
  const { notes } = read(
    'Resources: { R: { Type: AWS::Events::Rule, Properties: { EventPattern: { source: [a] }, Targets: [{ Id: t, Arn: !ImportValue Far }] } } }',
  );
  expect(notes).toEqual(['R, its target: Fn::ImportValue cannot be worked out.']);
});
