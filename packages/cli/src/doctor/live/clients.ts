// The methods that doctor needs of the AWS SDK's clients `SQS`, `DynamoDB`, `Lambda` and `IAM`, and of
// CloudWatch Logs. All only read.

type Texts = Readonly<Record<string, string>>;

export interface SqsReader {
  getQueueAttributes(input: {
    QueueUrl: string;
    AttributeNames: 'All'[];
  }): Promise<{ Attributes?: Texts | undefined }>;
  getQueueUrl(input: {
    QueueName: string;
    QueueOwnerAWSAccountId?: string;
  }): Promise<{ QueueUrl?: string | undefined }>;
}

export interface DynamoDBReader {
  describeTable(input: { TableName: string }): Promise<{ Table?: TableDescription | undefined }>;
  describeTimeToLive(input: { TableName: string }): Promise<{
    TimeToLiveDescription?:
      | { TimeToLiveStatus?: string | undefined; AttributeName?: string | undefined }
      | undefined;
  }>;
  describeContinuousBackups(input: { TableName: string }): Promise<{
    ContinuousBackupsDescription?:
      | {
          PointInTimeRecoveryDescription?: { PointInTimeRecoveryStatus?: string | undefined } | undefined;
        }
      | undefined;
  }>;
}

interface KeyPart {
  readonly AttributeName?: string | undefined;
  readonly KeyType?: string | undefined;
}

interface TableDescription {
  readonly TableName?: string | undefined;
  readonly KeySchema?: readonly KeyPart[] | undefined;
  readonly AttributeDefinitions?:
    | readonly { AttributeName?: string | undefined; AttributeType?: string | undefined }[]
    | undefined;
  readonly DeletionProtectionEnabled?: boolean | undefined;
  /** The other Regions of a global table. */
  readonly Replicas?: readonly { RegionName?: string | undefined }[] | undefined;
  readonly GlobalSecondaryIndexes?: readonly { KeySchema?: readonly KeyPart[] | undefined }[] | undefined;
}

interface FunctionConfiguration {
  readonly FunctionName?: string | undefined;
  readonly Runtime?: string | undefined;
  readonly Timeout?: number | undefined;
  readonly Role?: string | undefined;
  readonly Environment?: { Variables?: Texts | undefined } | undefined;
  readonly DeadLetterConfig?: { TargetArn?: string | undefined } | undefined;
  readonly LoggingConfig?: { LogGroup?: string | undefined } | undefined;
}

export interface EventSourceMapping {
  readonly UUID?: string | undefined;
  readonly EventSourceArn?: string | undefined;
  readonly FunctionArn?: string | undefined;
  readonly SelfManagedEventSource?: object | undefined;
  readonly FunctionResponseTypes?: readonly string[] | undefined;
  readonly BatchSize?: number | undefined;
  readonly MaximumBatchingWindowInSeconds?: number | undefined;
  readonly ScalingConfig?: { MaximumConcurrency?: number | undefined } | undefined;
  readonly MaximumRetryAttempts?: number | undefined;
  readonly BisectBatchOnFunctionError?: boolean | undefined;
  readonly StartingPosition?: string | undefined;
  readonly TumblingWindowInSeconds?: number | undefined;
  readonly DestinationConfig?: { OnFailure?: { Destination?: string | undefined } | undefined } | undefined;
  readonly ProvisionedPollerConfig?: object | undefined;
  readonly State?: string | undefined;
  readonly MetricsConfig?: { Metrics?: readonly string[] | undefined } | undefined;
}

export interface LambdaReader {
  getFunctionConfiguration(input: { FunctionName: string }): Promise<FunctionConfiguration>;
  getFunctionConcurrency(input: {
    FunctionName: string;
  }): Promise<{ ReservedConcurrentExecutions?: number | undefined }>;
  getFunctionEventInvokeConfig(input: { FunctionName: string }): Promise<{
    MaximumRetryAttempts?: number | undefined;
    DestinationConfig?: { OnFailure?: { Destination?: string | undefined } | undefined } | undefined;
  }>;
  listEventSourceMappings(input: {
    FunctionName?: string;
    EventSourceArn?: string;
    Marker?: string;
  }): Promise<{
    EventSourceMappings?: readonly EventSourceMapping[] | undefined;
    NextMarker?: string | undefined;
  }>;
}

export interface IamReader {
  listRolePolicies(input: { RoleName: string }): Promise<{ PolicyNames?: readonly string[] | undefined }>;
  getRolePolicy(input: {
    RoleName: string;
    PolicyName: string;
  }): Promise<{ PolicyDocument?: string | undefined }>;
  listAttachedRolePolicies(input: { RoleName: string }): Promise<{
    AttachedPolicies?:
      | readonly { PolicyName?: string | undefined; PolicyArn?: string | undefined }[]
      | undefined;
  }>;
  getPolicy(input: { PolicyArn: string }): Promise<{
    Policy?: { DefaultVersionId?: string | undefined } | undefined;
  }>;
  getPolicyVersion(input: { PolicyArn: string; VersionId: string }): Promise<{
    PolicyVersion?: { Document?: string | undefined } | undefined;
  }>;
}

/** Returns lines of a log group that match a filter pattern, oldest first; not all, if there are many. */
export type LogsReader = (search: {
  readonly logGroup: string;
  readonly pattern: string;
  /** In epoch milliseconds. */
  readonly from: number;
  /** In epoch milliseconds. */
  readonly until: number;
}) => Promise<readonly string[]>;

/** The clients of `doctorLive`. What a missing client would read is listed in `skipped`. */
export interface DoctorClients {
  readonly sqs?: SqsReader;
  readonly dynamoDB?: DynamoDBReader;
  readonly lambda?: LambdaReader;
  readonly iam?: IamReader;
  readonly logs?: LogsReader;
}
