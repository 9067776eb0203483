// What `batchlatch dev` runs: a template, read with the addresses of this machine's services.

/** What a template has that runs here. */
export interface DevStack {
  readonly functions: readonly DevFunction[];
  readonly queues: readonly DevQueue[];
  readonly tables: readonly DevTable[];
  readonly streams: readonly DevStream[];
  readonly queueTargets: readonly QueueTarget[];
  /** What of the template does not run here, a sentence each. */
  readonly notes: readonly string[];
}

/** A function, its variables resolved. */
export interface DevFunction {
  /** The logical id. */
  readonly id: string;
  /** The physical name, as `AWS_LAMBDA_FUNCTION_NAME` has it. */
  readonly name: string;
  /** The folder of `CodeUri`, absolute. */
  readonly folder: string;
  /** The module under it, with or without an extension: esbuild's first entry point, else the module of `Handler`. */
  readonly entry: string;
  /** The name of the export, from `Handler`. */
  readonly exportName: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The template's variables, and where the services are. */
  readonly environment: Readonly<Record<string, string>>;
  /** At most so many invocations at once; undefined is no limit. */
  readonly reservedConcurrency: number | undefined;
  /** What `Metadata` says of its build: SAM's `BuildProperties`, such as `EntryPoints` and `Banner`; empty where it says nothing. */
  readonly buildProperties: Readonly<Record<string, unknown>>;
  readonly asynchronous: AsynchronousInvocation;
  readonly triggers: readonly DevTrigger[];
}

/** What Lambda does with invocations that nobody waits for. */
export interface AsynchronousInvocation {
  /** Default 2. */
  readonly maximumRetries: number;
  /** Default 21,600,000 (6 hours). */
  readonly maximumAgeMs: number;
  /** The ARN of the queue that gets what failed for good: the destination's envelope. */
  readonly onFailure: string | undefined;
  /** The ARN of the function's dead-letter queue, which gets the bare event. */
  readonly deadLetterQueue: string | undefined;
}

export type DevTrigger = SqsTrigger | StreamTrigger | RuleTrigger | ScheduleTrigger;

/** An event source mapping's settings that all sources share. */
interface MappingSettings {
  /** The logical id that SAM gives it, such as `OrdersFunctionOrders`. */
  readonly id: string;
  readonly batchSize: number;
  /** `MaximumBatchingWindowInSeconds`. */
  readonly windowMs: number;
  /** The parsed patterns of `FilterCriteria`; none is no filter. */
  readonly filters: readonly unknown[];
  /** Whether `FunctionResponseTypes` has `ReportBatchItemFailures`. */
  readonly reportsBatchItemFailures: boolean;
  readonly isEnabled: boolean;
}

export interface SqsTrigger extends MappingSettings {
  readonly kind: 'sqs';
  readonly queueArn: string;
  /** `ScalingConfig.MaximumConcurrency`. */
  readonly maximumConcurrency: number | undefined;
}

export interface StreamTrigger extends MappingSettings {
  readonly kind: 'kinesis' | 'dynamodb';
  /** The stream's ARN; for a table's stream the table's ARN, followed by `/stream/…`. */
  readonly streamArn: string;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  /** -1 is no limit. */
  readonly maximumRetries: number;
  /** -1 is no limit. */
  readonly maximumRecordAgeMs: number;
  readonly bisectsOnError: boolean;
  readonly parallelizationFactor: number;
  /** The ARN of the queue that is told of records that were given up. */
  readonly onFailure: string | undefined;
}

/** A rule of EventBridge with a pattern. */
export interface RuleTrigger {
  readonly kind: 'rule';
  readonly id: string;
  /** `default` unless the template says otherwise. */
  readonly bus: string;
  /** Checked: `matches` takes it. */
  readonly pattern: unknown;
  /** The constant `Input`, as text of JSON, or undefined for the event itself. */
  readonly input: string | undefined;
  readonly isEnabled: boolean;
}

/** A rule, or a schedule of EventBridge Scheduler, by time. */
export interface ScheduleTrigger {
  readonly kind: 'schedule';
  readonly id: string;
  /** The rule's or the schedule's, as its events have it in `resources`. */
  readonly arn: string;
  readonly service: 'events' | 'scheduler';
  /** `rate(…)`, `cron(…)` or `at(…)`. */
  readonly expression: string;
  readonly timeZone: string | undefined;
  readonly input: string | undefined;
  readonly isEnabled: boolean;
}

/** A queue that a rule or a schedule sends to. */
export interface QueueTarget {
  readonly queueArn: string;
  /** `SqsParameters.MessageGroupId`; defined for every target that is a FIFO queue. */
  readonly messageGroupId: string | undefined;
  readonly trigger: RuleTrigger | ScheduleTrigger;
}

export interface DevQueue {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** As `CreateQueue` takes them; a redrive policy names the other queue by its ARN. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface DevTable {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  /** As `CreateTable` takes it. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly timeToLiveAttribute: string | undefined;
}

/** A stream of Kinesis. */
export interface DevStream {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  readonly shards: number;
}
