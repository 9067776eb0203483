// The model of a template that `batchlatch dev` runs, with the addresses of the local services.

/** The parts of a template that run on this machine. */
export interface DevStack {
  readonly functions: readonly DevFunction[];
  readonly queues: readonly DevQueue[];
  readonly tables: readonly DevTable[];
  readonly streams: readonly DevStream[];
  readonly queueTargets: readonly QueueTarget[];
  /** The parts of the template that do not run here, a sentence each. */
  readonly notes: readonly string[];
  /** Those of the notes that matter to a single invocation, by the id of the function. */
  readonly invocationNotes: ReadonlyMap<string, readonly string[]>;
}

/** A function with resolved variables. */
export interface DevFunction {
  /** The logical id. */
  readonly id: string;
  /** The physical name: `AWS_LAMBDA_FUNCTION_NAME`. */
  readonly name: string;
  /** The absolute path of `CodeUri`. */
  readonly folder: string;
  /** The module in that folder: esbuild's first entry point, else the module of `Handler`. */
  readonly entry: string;
  /** The name of the export, from `Handler`. */
  readonly exportName: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The template's variables, and the endpoints of the local services. */
  readonly environment: Readonly<Record<string, string>>;
  /** The most concurrent invocations; undefined: no limit. */
  readonly reservedConcurrency: number | undefined;
  /** SAM's `BuildProperties` in `Metadata`, such as `EntryPoints` and `Banner`; empty if there are none. */
  readonly buildProperties: Readonly<Record<string, unknown>>;
  readonly asynchronous: AsynchronousInvocation;
  readonly triggers: readonly DevTrigger[];
}

/** Settings of asynchronous invocations. */
export interface AsynchronousInvocation {
  /** Default: 2. */
  readonly maximumRetries: number;
  /** Default: 21,600,000 (6 hours). */
  readonly maximumAgeMs: number;
  /** The ARN of the failure destination's queue, which gets the failure record. */
  readonly onFailure: string | undefined;
  /** The ARN of the function's dead-letter queue, which gets the bare event. */
  readonly deadLetterQueue: string | undefined;
}

export type DevTrigger = SqsTrigger | StreamTrigger | RuleTrigger | ScheduleTrigger | HttpTrigger;

/** Settings of event source mappings of all kinds. */
interface MappingSettings {
  /** SAM's logical id, such as `OrdersFunctionOrders`. */
  readonly id: string;
  readonly batchSize: number;
  /** `MaximumBatchingWindowInSeconds`. */
  readonly windowMs: number;
  /** The parsed patterns of `FilterCriteria`; empty: no filter. */
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
  /** The ARN of the stream; for a table's stream, the table's ARN followed by `/stream/…`. */
  readonly streamArn: string;
  readonly startingPosition: 'TRIM_HORIZON' | 'LATEST';
  /** -1: no limit. */
  readonly maximumRetries: number;
  /** -1: no limit. */
  readonly maximumRecordAgeMs: number;
  readonly bisectsOnError: boolean;
  readonly parallelizationFactor: number;
  /** The ARN of the queue that is told of records that were given up. */
  readonly onFailure: string | undefined;
}

/** An EventBridge rule with a pattern. */
export interface RuleTrigger {
  readonly kind: 'rule';
  readonly id: string;
  /** Default: `default`. */
  readonly bus: string;
  /** Valid for `matches`. */
  readonly pattern: unknown;
  /** The constant `Input`, as JSON text; undefined: the event itself. */
  readonly input: string | undefined;
  readonly isEnabled: boolean;
}

/** A rule with a schedule expression, or a schedule of EventBridge Scheduler. */
export interface ScheduleTrigger {
  readonly kind: 'schedule';
  readonly id: string;
  /** The ARN of the rule or schedule; `resources` of its events has it. */
  readonly arn: string;
  readonly service: 'events' | 'scheduler';
  /** `rate(…)`, `cron(…)` or `at(…)`. */
  readonly expression: string;
  readonly timeZone: string | undefined;
  readonly input: string | undefined;
  readonly isEnabled: boolean;
}

/** A route of an HTTP API, or a function URL. */
export interface HttpTrigger {
  readonly kind: 'http';
  readonly id: string;
  /** The logical id of the API or the function URL. Each has an address of its own. */
  readonly endpointId: string;
  readonly isFunctionUrl: boolean;
  /** `$default`, or a method and a path, such as `POST /orders/{id}`. */
  readonly routeKey: string;
  /** Where a JSON Web Token is needed, such as `$request.header.Authorization`; undefined: nowhere. */
  readonly tokenSource: string | undefined;
  readonly isEnabled: true;
}

/** A queue as the target of a rule or schedule. */
export interface QueueTarget {
  readonly queueArn: string;
  /** `SqsParameters.MessageGroupId`; always set for a FIFO queue. */
  readonly messageGroupId: string | undefined;
  readonly trigger: RuleTrigger | ScheduleTrigger;
}

export interface DevQueue {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  /** The attributes for `CreateQueue`; a redrive policy names the dead-letter queue by ARN. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface DevTable {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  /** The input for `CreateTable`. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly timeToLiveAttribute: string | undefined;
}

/** A Kinesis stream. */
export interface DevStream {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
  readonly shards: number;
}
