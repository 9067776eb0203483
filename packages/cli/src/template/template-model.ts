// The parts of the model that only a template has.
import type { LambdaFunction, Mapping, Model, Queue, Resource, Setting, Table, Trigger } from './model.ts';

/** The model of a template. */
export interface TemplateModel extends Model {
  readonly queues: readonly TemplateQueue[];
  readonly tables: readonly TemplateTable[];
  readonly streams: readonly Stream[];
  readonly functions: readonly TemplateFunction[];
  readonly mappings: readonly TemplateMapping[];
  readonly triggers: readonly TemplateTrigger[];
  readonly httpRoutes: readonly HttpRoute[];
  /** All resources, including those above. */
  readonly resources: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  /** The event types of SAM's functions. */
  readonly eventTypes: readonly string[];
  /** Messages about unreadable parts, each a sentence without its full stop. */
  readonly skipped: readonly string[];
}

export interface TemplateQueue extends Queue {
  /** The property `FifoQueue`; `isFifo` considers the name too. */
  readonly fifoQueue: Setting<boolean>;
  /** The properties with the same name in `CreateQueue`. */
  readonly attributes: readonly Setting<string>[];
}

export interface TemplateTable extends Table {
  /** The properties with the same name in `CreateTable`, as JSON. */
  readonly definition: readonly Setting<unknown>[];
  /** Undefined if the table has no stream. */
  readonly streamView: Setting<string>;
}

/** A Kinesis stream. */
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

/** The location and build settings of a function's code. */
export interface FunctionCode {
  readonly handler: Setting<string>;
  readonly isImage: boolean;
  /** SAM's `CodeUri`, the path that the AWS CLI packages, or the CDK's asset folder. */
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
  /** The ids of resources in its value. */
  readonly refersTo: readonly string[];
}

export interface TemplateMapping extends Mapping {
  /** The logical id that SAM generates, such as `OrdersFunctionOrders`. */
  readonly logicalId: string;
  readonly sourceArn: Setting<string>;
  /** Whether it uses a consumer with enhanced fan-out. */
  readonly hasConsumer: boolean;
  /** The patterns of `FilterCriteria`. */
  readonly filters: readonly Setting<string>[];
  readonly maximumRecordAgeSeconds: Setting<number>;
  readonly parallelizationFactor: Setting<number>;
}

export type TemplateTrigger = Notification | Rule | Schedule;

/** A topic subscription or a bucket notification. */
export interface Notification extends Trigger {
  readonly kind: 'SNS' | 'S3';
}

/** A target of a rule or a schedule. */
interface Target extends Trigger {
  /** The logical id that SAM generates; a rule's later targets have a suffix. */
  readonly logicalId: string;
  /** The id of the target queue, if it is in the template. */
  readonly queueId: string | undefined;
  readonly targetArn: Setting<string>;
  readonly messageGroupId: Setting<string>;
  /** The constant that replaces the event. */
  readonly input: Setting<string>;
  /** Whether `InputPath` or `InputTransformer` is set. */
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

/** A target of a schedule of an EventBridge rule or of EventBridge Scheduler. */
export interface Schedule extends Target {
  readonly kind: 'Schedule';
  readonly service: 'events' | 'scheduler';
  readonly expression: Setting<string>;
  readonly timeZone: Setting<string>;
  readonly group: Setting<string>;
}

/** A route of an HTTP API to a function, or a function URL. */
export interface HttpRoute extends Resource {
  readonly functionId: string;
  /** The logical id that SAM generates. */
  readonly logicalId: string;
  readonly kind: 'httpApi' | 'functionUrl';
  /** The API's logical id; a function URL's own. */
  readonly endpointId: string;
  readonly method: Setting<string>;
  /** `$default` takes the requests that no other route takes. */
  readonly path: Setting<string>;
  readonly payloadFormat: Setting<string>;
  readonly authorizer: HttpAuthorizer | undefined;
  readonly isStreaming: boolean;
  /** The properties of the API or the URL that change requests or responses, such as `CorsConfiguration`. */
  readonly changes: readonly string[];
}

/** Who may use a route. */
export interface HttpAuthorizer {
  readonly name: string;
  readonly kind: 'jwt' | 'iam' | 'other';
  /** Where the token is, such as `$request.header.Authorization`. */
  readonly identitySource: string;
}
