// What only a template says of its resources.
import type { LambdaFunction, Mapping, Model, Queue, Resource, Setting, Table, Trigger } from './model.ts';

/** A template, read. */
export interface TemplateModel extends Model {
  readonly queues: readonly TemplateQueue[];
  readonly tables: readonly TemplateTable[];
  readonly streams: readonly Stream[];
  readonly functions: readonly TemplateFunction[];
  readonly mappings: readonly TemplateMapping[];
  readonly triggers: readonly TemplateTrigger[];
  /** All resources, with those above. */
  readonly resources: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  /** The types of the events of SAM's functions. */
  readonly eventTypes: readonly string[];
  /** What could not be read, a sentence each, without its full stop. */
  readonly skipped: readonly string[];
}

export interface TemplateQueue extends Queue {
  /** The property `FifoQueue`; `isFifo` goes by the name too. */
  readonly fifoQueue: Setting<boolean>;
  /** The properties that `CreateQueue` takes under the same name. */
  readonly attributes: readonly Setting<string>[];
}

export interface TemplateTable extends Table {
  /** The properties that `CreateTable` takes under the same name, as JSON. */
  readonly definition: readonly Setting<unknown>[];
  /** Undefined if the table has no stream. */
  readonly streamView: Setting<string>;
}

/** A stream of Kinesis. */
export interface Stream extends Resource {
  readonly shards: Setting<number>;
}

export interface TemplateFunction extends LambdaFunction {
  readonly code: FunctionCode;
  readonly memoryMb: Setting<number>;
  readonly variables: Setting<readonly Variable[]>;
  readonly hasLayers: boolean;
  readonly maximumAgeSeconds: Setting<number>;
  readonly hasSuccessDestination: boolean;
}

/** Where the code of a function is, and how it is built. */
export interface FunctionCode {
  readonly handler: Setting<string>;
  readonly packageType: Setting<string>;
  /** SAM's `CodeUri`, the path that the AWS CLI packages, or the folder that the CDK has put the code in. */
  readonly path: string | undefined;
  readonly isInS3: boolean;
  readonly isInTemplate: boolean;
  /** Whether it has `DurableConfig`. */
  readonly isDurable: boolean;
  /** `Metadata.BuildProperties`, as JSON. */
  readonly build: Setting<unknown>;
}

/** A variable of a function's environment. */
export interface Variable {
  readonly name: string;
  readonly text: Setting<string>;
  /** The ids that its value refers to. */
  readonly refersTo: readonly string[];
}

export interface TemplateMapping extends Mapping {
  /** The logical id that SAM gives it, such as `OrdersFunctionOrders`. */
  readonly logicalId: string;
  readonly sourceArn: Setting<string>;
  /** Whether it reads its stream by a consumer with enhanced fan-out. */
  readonly hasConsumer: boolean;
  readonly isEnabled: Setting<boolean>;
  /** The texts of the patterns of `FilterCriteria`. */
  readonly filters: readonly Setting<string>[];
  readonly maximumRecordAgeSeconds: Setting<number>;
  readonly parallelizationFactor: Setting<number>;
}

export type TemplateTrigger = Notification | Rule | Schedule;

/** A subscription of a topic, or a notification of a bucket. */
export interface Notification extends Trigger {
  readonly kind: 'SNS' | 'S3';
}

/** A target of a rule or a schedule. */
interface Target extends Trigger {
  /** The logical id that SAM gives it; a rule's targets after the first have a suffix. */
  readonly logicalId: string;
  /** The id of the queue, if the target is one of the template. */
  readonly queueId: string | undefined;
  readonly targetArn: Setting<string>;
  readonly messageGroupId: Setting<string>;
  /** The constant that it gets in place of the event. */
  readonly input: Setting<string>;
  /** Whether it gets a part of the event, or a text made of it. */
  readonly isTransformed: boolean;
  readonly isOn: boolean;
  /** The physical name. */
  readonly ruleName: Setting<string>;
}

/** A target of a rule with a pattern. */
export interface Rule extends Target {
  readonly kind: 'EventBridge';
  readonly bus: Setting<string>;
  /** As JSON. */
  readonly pattern: Setting<unknown>;
}

/** The target of a schedule, which is a rule or one of EventBridge Scheduler. */
export interface Schedule extends Target {
  readonly kind: 'Schedule';
  readonly service: 'events' | 'scheduler';
  readonly expression: Setting<string>;
  readonly timeZone: Setting<string>;
  readonly group: Setting<string>;
}
