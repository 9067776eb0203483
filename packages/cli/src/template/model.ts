// What is known of resources, whether it was read from a template or from an account.

/** A property of a resource, as far as it is known. */
export interface Setting<T> {
  /** Absent if it is not set and has no default, or if it is not known. */
  readonly value?: T | undefined;
  /** Why it is not known. */
  readonly unknown?: string | undefined;
  /** Whether it is not known because its value is of a wrong type. */
  readonly isInvalid?: boolean | undefined;
  /** How the template names it, such as `ScalingConfig.MaximumConcurrency`. */
  readonly property?: string | undefined;
  /** Where it is in the template. */
  readonly line?: number | undefined;
}

/** What every resource has. */
export interface Resource {
  /** The logical id, or the name of what is deployed. */
  readonly id: string;
  /** How messages name it. */
  readonly name: string;
  readonly line?: number | undefined;
  /** The findings that its metadata says are meant to be so. */
  readonly ignore: ReadonlySet<string>;
}

/** Where something is sent that failed for good. */
export interface Destination {
  /** The id of the queue, if it is one that is known. */
  readonly queueId: string | undefined;
  /** Empty if the template names none. */
  readonly arn: Setting<string>;
}

/** Where a dead-letter queue lets messages come from. */
export interface RedriveAllow {
  readonly permission: string;
  /** The queues, as the references resolve; undefined where one cannot be told. */
  readonly sources: readonly (string | undefined)[];
}

export interface Redrive {
  /** The id of the queue. */
  readonly target: string | undefined;
  /** How the policy names it; undefined if it does not. */
  readonly targetArn: string | undefined;
  readonly maxReceiveCount: Setting<number>;
}

export interface Queue extends Resource {
  readonly isFifo: boolean;
  readonly visibilitySeconds: Setting<number>;
  readonly retentionSeconds: Setting<number>;
  readonly redrive: Setting<Redrive>;
  readonly redriveAllow: Setting<RedriveAllow>;
  readonly isEncrypted: Setting<boolean>;
  /** Whether a policy of the queue refuses what is not sent over TLS. */
  readonly requiresTls: Setting<boolean>;
  /** What a policy's resource may say to mean this queue, after `arn:…:sqs:region:account:`. */
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
  /** Absent for what is deployed. */
  readonly isRetained?: Setting<boolean>;
  /** In how many Regions the table is, as a global table. */
  readonly regions: Setting<number>;
  /** The hash keys of the global secondary indexes. */
  readonly indexKeys: Setting<readonly string[]>;
  readonly arnTails: readonly string[];
}

/**
 * One statement of a policy. Resources are texts in which `<Id>` and `<Id.Arn>` stand for resources of the
 * template.
 */
export interface Statement {
  readonly isAllow: boolean;
  readonly hasCondition: boolean;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /**
   * Whether AWS wrote it for functions behind queues (AWSLambdaSQSQueueExecutionRole), which SAM adds by
   * itself.
   */
  readonly isOfAws?: boolean;
  readonly line?: number | undefined;
}

export interface Role {
  readonly statements: readonly Statement[];
  /** The policies whose content is not known. */
  readonly unknown: readonly string[];
  /** Whether SAM makes it, and gives it what event source mappings need. */
  readonly isMadeBySam: boolean;
}

/** What a function's code is known to pass to batchlatch. */
export interface KnownOptions {
  readonly leaseMs: Setting<number>;
  readonly retentionMs: Setting<number>;
  readonly writes: string | undefined;
}

interface AsyncSettings {
  readonly retries: Setting<number>;
  readonly onFailure: Setting<Destination>;
  /** The function's own. */
  readonly deadLetterQueue: Setting<Destination>;
}

export interface LambdaFunction extends Resource {
  readonly timeoutSeconds: Setting<number>;
  readonly runtime: Setting<string>;
  readonly reservedConcurrency: Setting<number>;
  /** Texts as in a statement's resources. */
  readonly environment: Setting<ReadonlyMap<string, string>>;
  readonly role: Setting<Role>;
  readonly asynchronous: AsyncSettings;
  readonly options: KnownOptions;
}

export type MappingKind = 'sqs' | 'kinesis' | 'dynamodb' | 'kafka';

/** An event source mapping. */
export interface Mapping extends Resource {
  readonly kind: MappingKind;
  /** The id of the function; undefined if it is not here. */
  readonly functionId: string | undefined;
  /** The id of the queue, the stream or the table; the ARN of what is deployed. */
  readonly source: Setting<string>;
  readonly isFifo: boolean;
  readonly responseTypes: Setting<readonly string[]>;
  readonly batchSize: Setting<number>;
  readonly windowSeconds: Setting<number>;
  readonly maximumConcurrency: Setting<number>;
  readonly retries: Setting<number>;
  readonly bisects: Setting<boolean>;
  /** Where a stream mapping sends what it gives up on. */
  readonly onFailure: Setting<Destination>;
  readonly startingPosition: Setting<string>;
  readonly tumblingWindowSeconds: Setting<number>;
  readonly isProvisioned: Setting<boolean>;
  readonly hasMetrics: Setting<boolean>;
}

/** What invokes a function asynchronously, or sends to something else. */
export interface Trigger extends Resource {
  readonly kind: 'EventBridge' | 'Schedule' | 'SNS' | 'S3';
  /** Undefined if its target is no function that is known. */
  readonly functionId: string | undefined;
  /** Whether what cannot be handed to Lambda goes anywhere. */
  readonly keepsUndelivered: Setting<boolean>;
}

/** A subscriber of a custom event bus (`AWS::EventsV2::Subscriber`). */
export interface Subscriber extends Resource {
  readonly functionId: string;
  readonly invocationType: Setting<string>;
  readonly timeoutSeconds: Setting<number>;
  readonly keepsFailures: Setting<boolean>;
}

/** What is known of a template, or of what is deployed. */
export interface Model {
  readonly queues: readonly Queue[];
  readonly tables: readonly Table[];
  readonly functions: readonly LambdaFunction[];
  readonly mappings: readonly Mapping[];
  readonly triggers: readonly Trigger[];
  readonly subscribers: readonly Subscriber[];
}
