// What the checks look at: the same, whether it was read from a template or from an account.
import type { Resource, Setting } from '../template/facts.ts';

export type { Resource };

/** Where a dead-letter queue lets messages come from. */
export interface RedriveAllow {
  readonly permission: string;
  /** The queues, as the references resolve; undefined where one cannot be told. */
  readonly sources: readonly (string | undefined)[];
}

export interface Redrive {
  /** The id of the queue. */
  readonly target: string | undefined;
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

/** One statement of a policy. Resources are texts in which `<Id>` and `<Id.Arn>` stand for resources of the template. */
export interface Statement {
  readonly isAllow: boolean;
  readonly hasCondition: boolean;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Whether AWS wrote it for functions behind queues (AWSLambdaSQSQueueExecutionRole), which SAM adds by itself. */
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

export interface AsyncSettings {
  readonly retries: Setting<number>;
  /** Whether what fails for good goes anywhere: an on-failure destination or a dead-letter queue. */
  readonly keepsFailures: Setting<boolean>;
  /** Whether the function itself has a dead-letter queue. */
  readonly hasDeadLetterQueue: Setting<boolean>;
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
  /** The id of the queue, or what is known of the source. */
  readonly source: Setting<string>;
  readonly isFifo: boolean;
  readonly responseTypes: Setting<readonly string[]>;
  readonly batchSize: Setting<number>;
  readonly windowSeconds: Setting<number>;
  readonly maximumConcurrency: Setting<number>;
  readonly retries: Setting<number>;
  readonly bisects: Setting<boolean>;
  readonly keepsFailures: Setting<boolean>;
  /** The id of the queue that gets what a stream mapping gives up on, if the destination is one. */
  readonly failureQueue: Setting<string>;
  readonly startingPosition: Setting<string>;
  readonly tumblingWindowSeconds: Setting<number>;
  readonly isProvisioned: Setting<boolean>;
  readonly hasMetrics: Setting<boolean>;
}

/** What invokes a function asynchronously. */
export interface Trigger extends Resource {
  readonly kind: 'EventBridge' | 'Schedule' | 'SNS' | 'S3';
  readonly functionId: string;
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

export interface Model {
  readonly origin: 'template' | 'live';
  /** When it is examined, in epoch milliseconds: runtimes are deprecated on a date. */
  readonly now: number;
  readonly queues: readonly Queue[];
  readonly tables: readonly Table[];
  readonly functions: readonly LambdaFunction[];
  readonly mappings: readonly Mapping[];
  readonly triggers: readonly Trigger[];
  readonly subscribers: readonly Subscriber[];
  /** Tables that are named as the claims table by whoever asks. */
  readonly claimsTables: ReadonlySet<string>;
}
