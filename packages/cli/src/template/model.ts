// The model of resources, read from a template or from an account.

/** A property of a resource. */
export interface Setting<T> {
  /** Absent if the property is unknown, or has neither a value nor a default. */
  readonly value?: T | undefined;
  /** The reason if the value is unknown. */
  readonly unknown?: string | undefined;
  /** Whether it is unknown because its value has a wrong type. */
  readonly isInvalid?: boolean | undefined;
  /** The property's path, such as `ScalingConfig.MaximumConcurrency`. */
  readonly property?: string | undefined;
  /** The line in the template. */
  readonly line?: number | undefined;
}

/** The members of every resource. */
export interface Resource {
  /** The logical id, or the name of a deployed resource. */
  readonly id: string;
  /** The name in messages. */
  readonly name: string;
  readonly line?: number | undefined;
  /** The codes of findings that its metadata suppresses. */
  readonly ignore: ReadonlySet<string>;
}

/** The destination of failed records or invocations. */
export interface Destination {
  /** The id of the queue, if it is in the model. */
  readonly queueId: string | undefined;
  /** Empty if there is none. */
  readonly arn: Setting<string>;
}

/** The redrive allow policy of a dead-letter queue. */
export interface RedriveAllow {
  readonly permission: string;
  /** The ids of the source queues; undefined for an unknown one. */
  readonly sources: readonly (string | undefined)[];
}

export interface Redrive {
  /** The id of the queue. */
  readonly target: string | undefined;
  /** The ARN in the policy; undefined if there is none. */
  readonly targetArn: string | undefined;
  readonly maxReceiveCount: Setting<number>;
}

export interface Queue extends Resource {
  readonly isFifo: Setting<boolean>;
  readonly visibilitySeconds: Setting<number>;
  readonly retentionSeconds: Setting<number>;
  readonly redrive: Setting<Redrive>;
  readonly redriveAllow: Setting<RedriveAllow>;
  readonly isEncrypted: Setting<boolean>;
  /** Whether a policy of the queue denies requests without TLS. */
  readonly requiresTls: Setting<boolean>;
  /** The ends of ARNs that mean this queue in a policy, after `arn:…:sqs:region:account:`. */
  readonly arnTails: readonly string[];
}

export interface KeyAttribute {
  readonly name: string;
  readonly role: string;
  readonly type: string | undefined;
}

export interface Table extends Resource {
  readonly key: Setting<readonly KeyAttribute[]>;
  readonly ttl: Setting<{ readonly attribute: string | undefined; readonly isEnabled: Setting<boolean> }>;
  readonly hasPointInTimeRecovery: Setting<boolean>;
  readonly hasDeletionProtection: Setting<boolean>;
  /** Absent for deployed tables. */
  readonly isRetained?: Setting<boolean>;
  /** The number of Regions of a global table; else 1. */
  readonly regions: Setting<number>;
  /** The hash keys of the global secondary indexes. */
  readonly indexKeys: Setting<readonly string[]>;
  /** Whether it is a SimpleTable of SAM, which cannot have a TTL, deletion protection or an index. */
  readonly isSimple?: boolean;
  /** Whether it is a GlobalTable, whose replicas each have their own protection and backups. */
  readonly isGlobal?: boolean;
  readonly arnTails: readonly string[];
}

/** A policy statement. In resources, `<Id>` and `<Id.Arn>` stand for resources of the template. */
export interface Statement {
  readonly isAllow: boolean;
  readonly hasCondition: boolean;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Whether it is of AWSLambdaSQSQueueExecutionRole, AWS's policy that SAM attaches by itself. */
  readonly isOfAws?: boolean;
  readonly line?: number | undefined;
}

export interface Role {
  readonly statements: readonly Statement[];
  /** The policies with unknown content. */
  readonly unknown: readonly string[];
  /** Whether SAM creates the role, with the permissions of event source mappings. */
  readonly isMadeBySam: boolean;
}

/** The options that a function is known to pass to batchlatch. */
export interface KnownOptions {
  readonly leaseMs: Setting<number>;
  readonly retentionMs: Setting<number>;
  readonly writes: string | undefined;
  /** How it derives keys: `messageId`, or another text. */
  readonly key: string | undefined;
}

interface AsyncSettings {
  readonly retries: Setting<number>;
  readonly onFailure: Setting<Destination>;
  /** The `DeadLetterConfig` of the function. */
  readonly deadLetterQueue: Setting<Destination>;
  /** Whether these are settings of one alias or version, and there are others. */
  readonly isOneOfSeveral?: boolean;
}

export interface LambdaFunction extends Resource {
  readonly timeoutSeconds: Setting<number>;
  readonly runtime: Setting<string>;
  readonly reservedConcurrency: Setting<number>;
  /** The variables, with placeholders as in a statement's resources. */
  readonly environment: Setting<ReadonlyMap<string, string>>;
  readonly role: Setting<Role>;
  readonly asynchronous: AsyncSettings;
  readonly options: KnownOptions;
  /** The name of the log group; known for deployed functions only. */
  readonly logGroup?: string;
}

export type MappingKind = 'sqs' | 'kinesis' | 'dynamodb' | 'kafka';

/** An event source mapping. */
export interface Mapping extends Resource {
  readonly kind: MappingKind;
  /** The id of the function; undefined if it is not in the model. */
  readonly functionId: string | undefined;
  /** The id of the queue, stream or table; the ARN for a deployed one. */
  readonly source: Setting<string>;
  /** Whether the name of its source is that of a FIFO queue; undefined if the name is unknown. */
  readonly isFifo: boolean | undefined;
  readonly responseTypes: Setting<readonly string[]>;
  readonly batchSize: Setting<number>;
  readonly windowSeconds: Setting<number>;
  readonly maximumConcurrency: Setting<number>;
  readonly retries: Setting<number>;
  readonly bisects: Setting<boolean>;
  /** The destination of records that a stream mapping discards. */
  readonly onFailure: Setting<Destination>;
  readonly startingPosition: Setting<string>;
  readonly tumblingWindowSeconds: Setting<number>;
  readonly isProvisioned: Setting<boolean>;
  readonly hasMetrics: Setting<boolean>;
  readonly isEnabled: Setting<boolean>;
  /** The condition that decides whether it exists, if that cannot be told. */
  readonly condition?: string | undefined;
}

/** A source that invokes a function asynchronously, or sends to another target. */
export interface Trigger extends Resource {
  readonly kind: 'EventBridge' | 'Schedule' | 'SNS' | 'S3';
  /** Undefined if its target is not a function in the model. */
  readonly functionId: string | undefined;
  /** The id of the target queue; absent if its target is not a queue in the model. */
  readonly queueId?: string | undefined;
  /** Whether undelivered events have a destination. */
  readonly keepsUndelivered: Setting<boolean>;
}

/** A subscriber of a custom event bus (`AWS::EventsV2::Subscriber`). */
export interface Subscriber extends Resource {
  readonly functionId: string;
  readonly invocationType: Setting<string>;
  readonly timeoutSeconds: Setting<number>;
  readonly keepsFailures: Setting<boolean>;
}

/** The resources of a template or of an account. */
export interface Model {
  readonly queues: readonly Queue[];
  readonly tables: readonly Table[];
  readonly functions: readonly LambdaFunction[];
  readonly mappings: readonly Mapping[];
  readonly triggers: readonly Trigger[];
  readonly subscribers: readonly Subscriber[];
}
