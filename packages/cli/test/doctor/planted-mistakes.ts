/** A mistake: the text that is replaced, what replaces it, and the finding with the text in whose line it is. */
export interface Mistake {
  readonly what: string;
  readonly replace: string;
  readonly by: string;
  /** The code, and a text of the line; more where one mistake has several consequences. */
  readonly found: readonly (readonly [code: string, at: string])[];
  readonly severity?: 'error' | 'warning' | 'info';
}

const REPORT = 'report-batch-item-failures-off';
const QUEUE_ACTIONS =
  'sqs:ReceiveMessage, sqs:DeleteMessage, sqs:GetQueueAttributes, sqs:ChangeMessageVisibility';

/** The beginning of the claims table of templates/good.yaml. */
const GOOD_TABLE = `    Type: AWS::DynamoDB::Table
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
`;

/** Each alone, in a copy of templates/good.yaml. */
export const MISTAKES: readonly Mistake[] = [
  {
    what: 'no partial batch responses, SQS',
    replace: '            FunctionResponseTypes: [ReportBatchItemFailures] # orders\n',
    by: '',
    found: [[REPORT, '        Orders:\n          Type: SQS']],
  },
  {
    what: 'an empty list of response types, in CloudFormation',
    replace: 'FunctionResponseTypes: [ReportBatchItemFailures] # ledger',
    by: 'FunctionResponseTypes: [] # ledger',
    found: [[REPORT, 'FunctionResponseTypes: [] # ledger']],
  },
  {
    what: 'no partial batch responses, Kinesis',
    replace: 'FunctionResponseTypes: [ReportBatchItemFailures] # charges',
    by: 'FunctionResponseTypes: []',
    found: [[REPORT, 'FunctionResponseTypes: []']],
  },
  {
    what: 'no partial batch responses, Kafka',
    replace: 'FunctionResponseTypes: [ReportBatchItemFailures] # views',
    by: 'FunctionResponseTypes: []',
    found: [[REPORT, 'FunctionResponseTypes: []']],
  },
  {
    what: 'visibility below six times the timeout',
    replace: 'VisibilityTimeout: 190 # orders',
    by: 'VisibilityTimeout: 60 # short',
    found: [['visibility-timeout-too-short', '# short']],
    severity: 'warning',
  },
  {
    what: 'visibility without the batching window',
    replace: 'VisibilityTimeout: 190 # orders',
    by: 'VisibilityTimeout: 180 # short',
    found: [['visibility-timeout-too-short', '# short']],
    severity: 'warning',
  },
  {
    what: 'visibility below the timeout',
    replace: 'VisibilityTimeout: 190 # orders',
    by: 'VisibilityTimeout: 20 # short',
    found: [
      ['visibility-timeout-too-short', '# short'],
      ['lease-longer-than-visibility', '# short'],
    ],
    severity: 'error',
  },
  {
    what: 'visibility left to its default',
    replace: '      VisibilityTimeout: 190 # orders\n',
    by: '',
    found: [
      ['visibility-timeout-too-short', '  OrdersQueue:'],
      ['lease-longer-than-visibility', '  OrdersQueue:'],
    ],
  },
  {
    what: 'a timeout that a parameter makes long',
    replace: 'TimeoutSeconds: { Type: Number, Default: 30 }',
    by: 'TimeoutSeconds: { Type: Number, Default: 25 } # then shorter',
    found: [],
  },
  {
    what: 'a lease that the metadata name',
    replace: 'leaseMs: 20000',
    by: 'leaseMs: 90000',
    found: [['lease-longer-than-visibility', 'VisibilityTimeout: 61']],
  },
  {
    what: 'a dead-letter queue of a function behind a FIFO queue',
    replace: '      Timeout: 10 # ledger\n',
    by: '      Timeout: 10 # ledger\n      DeadLetterConfig: { TargetArn: !GetAtt FailedEvents.Arn } # of the function\n',
    found: [['function-dead-letter-queue-ignored', '# of the function']],
  },
  {
    what: 'a dead-letter queue of a function behind a stream, in SAM',
    replace: '      Handler: charges.handler\n',
    by: '      Handler: charges.handler\n      DeadLetterQueue: { Type: SQS, TargetArn: !GetAtt FailedEvents.Arn } # of the function\n',
    found: [['function-dead-letter-queue-ignored', '# of the function']],
  },
  {
    what: 'a dead-letter queue of a function that a rule invokes',
    replace: '      Handler: placed.handler\n',
    by: '      Handler: placed.handler\n      DeadLetterQueue: { Type: SQS, TargetArn: !GetAtt FailedEvents.Arn }\n',
    found: [],
  },
  {
    what: 'a Kinesis mapping that starts at the newest record',
    replace: 'StartingPosition: TRIM_HORIZON # charges',
    by: 'StartingPosition: LATEST',
    found: [['stream-starts-at-latest', 'StartingPosition: LATEST']],
  },
  {
    what: 'a Kafka mapping that starts at the newest record',
    replace: 'StartingPosition: TRIM_HORIZON # views',
    by: 'StartingPosition: LATEST',
    found: [['stream-starts-at-latest', 'StartingPosition: LATEST']],
  },
  {
    what: "a stream's failure queue that forgets after four days",
    replace: '    Properties: { MessageRetentionPeriod: 1209600 } # failed\n',
    by: '    Properties: { MessageRetentionPeriod: 345600 } # failed\n',
    found: [
      ['stream-failure-queue-retention', '# failed'],
      ['stream-failure-queue-retention', '# failed'],
      ['stream-failure-queue-retention', '# failed'],
    ],
  },
  {
    what: 'a runtime that AWS has deprecated',
    replace: 'Runtime: nodejs22.x # ledger',
    by: 'Runtime: nodejs20.x # ledger',
    found: [['runtime-deprecated', 'nodejs20.x']],
  },
  {
    what: 'visibility over 12 hours',
    replace: 'VisibilityTimeout: 190 # orders',
    by: 'VisibilityTimeout: 50000 # long',
    found: [['visibility-timeout-over-12-hours', '# long']],
  },
  {
    what: 'a function of more than two hours',
    replace: 'Timeout: 10 # ledger',
    by: 'Timeout: 7201 # ledger',
    found: [['function-too-long-for-sqs', 'Timeout: 7201']],
  },
  {
    what: 'no redrive policy',
    replace:
      '      RedrivePolicy:\n        deadLetterTargetArn: !GetAtt OrdersDeadLetters.Arn\n        maxReceiveCount: 5 # orders\n',
    by: '',
    found: [['no-dead-letter-queue', '  OrdersQueue:']],
  },
  {
    what: 'two receives',
    replace: 'maxReceiveCount: 5 # orders',
    by: 'maxReceiveCount: 2',
    found: [['max-receive-count-too-low', 'maxReceiveCount: 2']],
    severity: 'error',
  },
  {
    what: 'three receives',
    replace: 'maxReceiveCount: 5 # orders',
    by: 'maxReceiveCount: 3',
    found: [['max-receive-count-too-low', 'maxReceiveCount: 3']],
    severity: 'warning',
  },
  {
    what: 'one receive, in a policy that is JSON',
    replace: '"maxReceiveCount":5',
    by: '"maxReceiveCount":1',
    found: [['max-receive-count-too-low', '"maxReceiveCount":1']],
  },
  {
    what: 'dead letters kept no longer than messages',
    replace: 'MessageRetentionPeriod: 1209600 # orders',
    by: 'MessageRetentionPeriod: 345600 # dead',
    found: [['dead-letter-queue-retention', '# dead']],
  },
  {
    what: 'a queue that keeps messages for as long as anything can',
    replace: 'MessageRetentionPeriod: 345600 # orders',
    by: 'MessageRetentionPeriod: 1209600 # kept',
    found: [
      ['dead-letter-queue-retention', '# kept'],
      ['retention-shorter-than-queue', '# kept'],
    ],
  },
  {
    what: 'dead letters of a FIFO queue that are kept for less',
    replace: 'MessageRetentionPeriod: 345600 # ledger',
    by: 'MessageRetentionPeriod: 86400 # ledger',
    found: [['dead-letter-queue-retention', 'MessageRetentionPeriod: 86400']],
    severity: 'warning',
  },
  {
    what: 'claims that are forgotten before the messages',
    replace: 'leaseMs: 20000',
    by: 'retentionMs: 3600000',
    found: [['retention-shorter-than-queue', '  LedgerQueue:']],
    severity: 'error',
  },
  {
    what: 'a standard dead-letter queue of a FIFO queue',
    replace: "      FifoQueue: true # ledger's dead letters\n",
    by: '',
    found: [['dead-letter-queue-type', '  LedgerDeadLetters:']],
  },
  {
    what: 'a dead-letter queue that no queue may use',
    replace: 'redrivePermission: byQueue # orders',
    by: 'redrivePermission: denyAll # none',
    found: [['redrive-allow-policy-refuses', '      RedriveAllowPolicy:']],
  },
  {
    what: 'a batching window on a FIFO queue',
    replace: 'BatchSize: 10 # ledger',
    by: 'MaximumBatchingWindowInSeconds: 1 # fifo',
    found: [['fifo-batching-window', '# fifo']],
  },
  {
    what: 'a large batch of a FIFO queue',
    replace: 'BatchSize: 10 # ledger',
    by: 'BatchSize: 11 # fifo',
    found: [['fifo-batch-size', '# fifo']],
  },
  {
    what: 'a large batch without a window',
    replace: '            MaximumBatchingWindowInSeconds: 5 # orders\n',
    by: '',
    found: [['batch-size-needs-window', 'BatchSize: 50']],
  },
  {
    what: 'reserved concurrency below what the mapping starts',
    replace: 'ReservedConcurrentExecutions: 20',
    by: 'ReservedConcurrentExecutions: 9',
    found: [['reserved-concurrency-too-low', 'ReservedConcurrentExecutions: 9']],
    severity: 'error',
  },
  {
    what: 'reserved concurrency below the pollers at the start',
    replace: 'Timeout: 10 # ledger',
    by: 'ReservedConcurrentExecutions: 4',
    found: [['reserved-concurrency-too-low', 'ReservedConcurrentExecutions: 4']],
  },
  {
    what: 'reserved concurrency and no limit of the mapping',
    replace: '            ScalingConfig: { MaximumConcurrency: 10 }\n',
    by: '',
    found: [['reserved-concurrency-too-low', 'ReservedConcurrentExecutions: 20']],
    severity: 'warning',
  },
  {
    what: 'no metrics of the mapping',
    replace: '      MetricsConfig: { Metrics: [EventCount] } # ledger\n',
    by: '',
    found: [['mapping-metrics-off', '  LedgerMapping:']],
    severity: 'info',
  },
  {
    what: 'a queue without TLS',
    replace: '!Ref LedgerQueue, !Ref LedgerDeadLetters',
    by: '!Ref LedgerDeadLetters',
    found: [['queue-without-tls-policy', '  LedgerQueue:']],
    severity: 'info',
  },
  {
    what: 'a queue that is not encrypted',
    replace: 'SqsManagedSseEnabled: true',
    by: 'SqsManagedSseEnabled: no # plain',
    found: [['queue-not-encrypted', '# plain']],
    severity: 'info',
  },
  {
    what: 'a stream that drops what fails',
    replace:
      '            DestinationConfig: { OnFailure: { Destination: !GetAtt FailedEvents.Arn } } # charges\n',
    by: '',
    found: [['stream-without-failure-destination', '        Charges:\n']],
    severity: 'error',
  },
  {
    what: 'a stream that is tried for ever',
    replace: '            MaximumRetryAttempts: 5 # charges\n',
    by: '',
    found: [['stream-retries-unlimited', '        Charges:\n']],
  },
  {
    what: 'a stream that is tried twice',
    replace: 'MaximumRetryAttempts: 5 # charges',
    by: 'MaximumRetryAttempts: 1 # few',
    found: [['stream-retries-too-few', '# few']],
  },
  {
    what: 'a stream that does not bisect',
    replace: 'BisectBatchOnFunctionError: true # charges',
    by: 'BisectBatchOnFunctionError: false # whole',
    found: [['stream-does-not-bisect', '# whole']],
  },
  {
    what: 'a tumbling window',
    replace: 'BisectBatchOnFunctionError: true # charges',
    by: 'BisectBatchOnFunctionError: true\n            TumblingWindowInSeconds: 60',
    found: [['tumbling-window', 'TumblingWindowInSeconds']],
  },
  {
    what: 'Kafka without provisioned pollers',
    replace: '            ProvisionedPollerConfig: { MinimumPollers: 1 }\n',
    by: '',
    found: [['kafka-not-provisioned', '        PageViews:\n']],
  },
  {
    what: 'a claims table with a sort key',
    replace: 'KeySchema: [{ AttributeName: id, KeyType: HASH }]',
    by: 'KeySchema: [{ AttributeName: id, KeyType: HASH }, { AttributeName: leaseUntil, KeyType: RANGE }] # two',
    found: [['claims-table-key', '# two']],
  },
  {
    what: 'a claims table in two Regions',
    replace: GOOD_TABLE,
    by: `    Type: AWS::DynamoDB::GlobalTable
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      Replicas: # two
        - &replica
          Region: eu-west-1
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }
          DeletionProtectionEnabled: true
        - { <<: *replica, Region: us-east-1 }
`,
    found: [['claims-table-in-several-regions', 'Replicas: # two']],
    severity: 'error',
  },
  {
    what: 'a claims table that is a global table in one Region',
    replace: GOOD_TABLE,
    by: `    Type: AWS::DynamoDB::GlobalTable
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      Replicas:
        - Region: eu-west-1
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }
          DeletionProtectionEnabled: true
`,
    found: [],
  },
  {
    what: 'a claims table without TTL',
    replace: '      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }\n',
    by: '',
    found: [['ttl-off', '  ClaimsTable:']],
  },
  {
    what: 'a TTL that is switched off',
    replace: 'TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }',
    by: 'TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: false }',
    found: [['ttl-off', 'TimeToLiveSpecification']],
  },
  {
    what: 'a TTL on another attribute',
    replace: 'AttributeName: expiresAt',
    by: 'AttributeName: ttl',
    found: [['ttl-attribute', 'AttributeName: ttl']],
    severity: 'error',
  },
  {
    what: "a TTL on Powertools' attribute",
    replace: 'AttributeName: expiresAt',
    by: 'AttributeName: expiration',
    found: [['ttl-attribute', 'AttributeName: expiration']],
    severity: 'info',
  },
  {
    what: 'no point-in-time recovery',
    replace: '      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }\n',
    by: '',
    found: [['claims-table-without-recovery', '  ClaimsTable:']],
    severity: 'warning',
  },
  {
    what: 'no deletion protection',
    replace: 'DeletionProtectionEnabled: true',
    by: 'DeletionProtectionEnabled: false',
    found: [['claims-table-without-deletion-protection', 'DeletionProtectionEnabled']],
  },
  {
    what: 'a claims table that goes with its stack',
    replace: '    DeletionPolicy: Retain\n',
    by: '',
    found: [['claims-table-not-retained', '  ClaimsTable:']],
  },
  {
    what: 'no index of overdue claims',
    replace: '            - { AttributeName: overdueShard, KeyType: HASH }',
    by: '            - { AttributeName: status, KeyType: HASH }',
    found: [['overdue-index-missing', '  ClaimsTable:']],
    severity: 'info',
  },
  {
    what: 'no name of the claims table',
    replace: 'Environment: { Variables: { CLAIMS_TABLE_NAME: !Ref ClaimsTable } }',
    by: 'Environment: { Variables: {} }',
    found: [['claims-table-name-missing', 'Environment: { Variables: {} }']],
  },
  {
    what: 'a role that may not use PartiQL',
    replace: 'Action: [dynamodb:PartiQLInsert, dynamodb:PartiQLUpdate, dynamodb:BatchGetItem]',
    by: 'Action: [dynamodb:BatchGetItem]',
    found: [
      'OrdersFunction:',
      'LedgerFunction:',
      'ChargesFunction:',
      'OrderPlacedFunction:',
      'ShippedFunction:',
    ].map((at) => ['missing-claims-permissions', `  ${at}`] as const),
    severity: 'error',
  },
  {
    what: 'a function whose role has nothing to do with it',
    replace: 'Role: !GetAtt ConsumerRole.Arn\n      ReservedConcurrentExecutions: 20',
    by: 'Role: !GetAtt MonitorRole.Arn\n      ReservedConcurrentExecutions: 20',
    found: [
      ['missing-claims-permissions', '  OrdersFunction:'],
      ['missing-queue-permissions', '  OrdersFunction:'],
      ['missing-visibility-permission', '  OrdersFunction:'],
      ['missing-send-permission', '  OrdersFunction:'],
    ],
  },
  {
    what: "SAM's own policy template, which has no PartiQL",
    replace: '      Handler: charges.handler\n      Role: !GetAtt ConsumerRole.Arn',
    by: '      Handler: charges.handler\n      Policies: [{ DynamoDBCrudPolicy: { TableName: !Ref ClaimsTable } }]',
    found: [['missing-claims-permissions', '  ChargesFunction:']],
    severity: 'warning',
  },
  {
    what: 'a role that may not poll one of its queues',
    replace: 'Resource: [!GetAtt OrdersQueue.Arn, !GetAtt LedgerQueue.Arn]',
    by: 'Resource: [!GetAtt OrdersQueue.Arn]',
    found: [['missing-queue-permissions', '  LedgerFunction:']],
  },
  {
    what: 'a role that may not change visibility',
    replace: QUEUE_ACTIONS,
    by: 'sqs:ReceiveMessage, sqs:DeleteMessage, sqs:GetQueueAttributes',
    found: [['missing-visibility-permission', '  OrdersFunction:']],
    severity: 'info',
  },
  {
    what: 'a role that may not send to the dead-letter queue',
    replace: ':${OrdersDeadLetters.QueueName}',
    by: ':${FailedEvents.QueueName}',
    found: [['missing-send-permission', '  OrdersFunction:']],
    severity: 'info',
  },
  {
    what: 'permissions on everything',
    replace: "Resource: !Sub '${ClaimsTable.Arn}/index/overdue'",
    by: "Resource: '*'",
    found: [['wide-permissions', '      Policies:\n        - PolicyName: looks']],
    severity: 'info',
  },
  {
    what: 'an old runtime',
    replace: 'Runtime: nodejs22.x # ledger',
    by: 'Runtime: nodejs18.x # ledger',
    found: [['runtime-too-old', 'Runtime: nodejs18.x # ledger']],
    severity: 'error',
  },
  {
    what: 'events that are dropped after their retries',
    replace:
      '        DestinationConfig: { OnFailure: { Type: SQS, Destination: !GetAtt FailedEvents.Arn } } # placed\n',
    by: '',
    found: [['async-without-failure-destination', '      EventInvokeConfig:']],
  },
  {
    what: 'events that are never tried again',
    replace: 'MaximumRetryAttempts: 2 # placed',
    by: 'MaximumRetryAttempts: 0 # placed',
    found: [['async-without-retries', 'MaximumRetryAttempts: 0']],
    severity: 'warning',
  },
  {
    what: 'a rule without a dead-letter queue',
    replace: '            DeadLetterConfig: { Arn: !GetAtt FailedEvents.Arn } # placed\n',
    by: '',
    found: [['rule-without-dead-letter-queue', '        OrderPlaced:\n']],
    severity: 'info',
  },
  {
    what: 'a subscriber of a bus whose function may run for longer than it waits',
    replace: 'Timeout: 25 # shipped',
    by: 'Timeout: 31 # shipped',
    found: [['bus-subscriber-timeout', 'Timeout: 31']],
  },
  {
    what: 'a subscriber that waits for a shorter time',
    replace: 'InvocationType: REQUEST_RESPONSE',
    by: "InvocationTimeoutSeconds: '10'",
    found: [['bus-subscriber-timeout', 'Timeout: 25']],
  },
  {
    what: 'a subscriber that invokes asynchronously',
    replace: 'InvocationType: REQUEST_RESPONSE',
    by: 'InvocationType: EVENT',
    found: [['bus-subscriber-asynchronous', 'InvocationType: EVENT']],
  },
  {
    what: 'a subscriber without a destination for failures',
    replace: '      OnFailureConfiguration: { Arn: !GetAtt FailedEvents.Arn } # shipped\n',
    by: '',
    found: [['bus-subscriber-without-failure-destination', '  ShippedSubscriber:']],
  },
  {
    what: 'an outbox whose stream invokes nothing',
    replace: 'EventSourceArn: !GetAtt OutboxTable.StreamArn # rows',
    by: 'EventSourceArn: !GetAtt ClaimsTable.StreamArn',
    found: [['outbox-without-relay', '  OutboxTable:']],
    severity: 'error',
  },
  {
    what: 'an outbox without a sweep on a schedule',
    replace: 'Targets: [{ Id: sweep, Arn: !GetAtt SweepFunction.Arn }]',
    by: 'Targets: [{ Id: sweep, Arn: !GetAtt MonitorFunction.Arn }]',
    found: [['outbox-without-sweep', '  OutboxTable:']],
    severity: 'error',
  },
  {
    what: 'an outbox whose schedule sends to a queue',
    replace: 'Targets: [{ Id: sweep, Arn: !GetAtt SweepFunction.Arn }]',
    by: 'Targets: [{ Id: sweep, Arn: !GetAtt OrdersQueue.Arn }]',
    found: [['outbox-without-sweep', '  OutboxTable:']],
    severity: 'error',
  },
  {
    what: "a consumer of an outbox's messages whose keys are message ids",
    replace: 'Metadata: { batchlatch: { key: outboxId } }',
    by: 'Metadata: { batchlatch: { key: messageId } }',
    found: [['outbox-consumer-message-ids', '  OrdersFunction:\n']],
    severity: 'warning',
  },
];
