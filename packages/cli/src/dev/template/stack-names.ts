import { createHash } from 'node:crypto';
import { ConfigurationError } from '../../tool-base/errors.ts';
import { type Places, LOCAL_ACCOUNT, localArn } from '../places.ts';
import { type PlainMembers, plainMembersOf } from '../../template/parse-template.ts';
import type { Resolver } from '../../template/resolver.ts';
import { asBoolean, asText, type Value, whyUnknown } from '../../template/values.ts';

/** The local names and attributes of the template's resources. */
export class StackNames {
  readonly #file: string;
  readonly #resources: PlainMembers;
  readonly #names = new Map<string, string>();
  /** The resources whose names are being read. */
  readonly #open = new Set<string>();
  readonly #stackName: string;
  readonly #places: Places;
  readonly #resolver: () => Resolver;

  constructor(
    resources: PlainMembers,
    {
      file,
      stackName,
      places,
      resolver,
    }: { file: string; stackName: string; places: Places; resolver: () => Resolver },
  ) {
    this.#file = file;
    this.#resources = resources;
    this.#stackName = stackName;
    this.#places = places;
    this.#resolver = resolver;
  }

  /**
   * Returns the template's name for a resource, or one like CloudFormation's, without the random suffix.
   * Throws a `ConfigurationError` for a name that depends on itself.
   */
  nameOf(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    if (this.#open.has(id)) {
      const circle = [...this.#open, id].slice([...this.#open].indexOf(id)).join(' → ');
      throw new ConfigurationError(`${this.#file}: the name of ${id} depends on itself: ${circle}.`);
    }
    this.#open.add(id);
    const name = this.#readName(id);
    this.#open.delete(id);
    this.#names.set(id, name);
    return name;
  }

  #readName(id: string): string {
    const { Properties: properties } = plainMembersOf(this.#resources[id]);
    const property = NAME_PROPERTIES.find((name) => Object.hasOwn(plainMembersOf(properties), name));
    const given: Value =
      property === undefined ? undefined : this.#resolver().resolve(plainMembersOf(properties)[property]);
    const name = whyUnknown(given) === undefined ? asText(given) : undefined;
    if (name !== undefined && name !== '') return name;
    const isFifo = asBoolean(this.#resolver().resolve(plainMembersOf(properties)['FifoQueue']));
    return `${shortened(`${this.#stackName}-${id}`)}${isFifo === true ? '.fifo' : ''}`;
  }

  typeOf(id: string): string {
    const { Type: type } = plainMembersOf(
      Object.hasOwn(this.#resources, id) ? this.#resources[id] : undefined,
    );
    return typeof type === 'string' ? type : '';
  }

  /** Returns the value of `Ref` or another attribute. */
  attribute(id: string, attribute: string): string {
    const type = this.typeOf(id);
    const name = this.nameOf(id);
    const arn = arnOf(type, name);
    if (/arn$/i.test(attribute)) {
      return attribute === 'StreamArn' ? streamArn(arn) : arn;
    }
    if (type === 'AWS::SQS::Queue' && (attribute === 'Ref' || attribute === 'QueueUrl')) {
      return queueUrl(this.#places, name);
    }
    return attribute === 'Ref' && NAMED_BY_ARN.has(type) ? arn : name;
  }
}

/** The properties that name a resource, in the order of the search. */
const NAME_PROPERTIES = [
  'QueueName',
  'TableName',
  'FunctionName',
  'StreamName',
  'BucketName',
  'TopicName',
  'RoleName',
  'LogGroupName',
  'Name',
];

/** The service in an ARN, if it differs from the one in the type. */
const SERVICES: Readonly<Record<string, string>> = { serverless: 'lambda', stepfunctions: 'states' };

/** Types whose `Ref` is an ARN. */
const NAMED_BY_ARN = new Set([
  'AWS::SNS::Topic',
  'AWS::StepFunctions::StateMachine',
  'AWS::Serverless::StateMachine',
  'AWS::SecretsManager::Secret',
  'AWS::IAM::ManagedPolicy',
  'AWS::Kinesis::StreamConsumer',
]);

/** Lambda's limit, the lowest. */
const LONGEST_NAME = 64;
const HASH_LENGTH = 8;

/** Ends a name that is too long in a hash: ids of the CDK differ only at their ends. */
function shortened(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, LONGEST_NAME - HASH_LENGTH - 1)}-${hash}`;
}

function queueUrl(places: Places, name: string): string {
  return `${places.sqs}/${LOCAL_ACCOUNT}/${name}`;
}

/** Returns the local ARN of a table's stream. */
function streamArn(tableArn: string): string {
  return `${tableArn}/stream/2024-01-01T00:00:00.000`;
}

function arnOf(type: string, name: string): string {
  const [, service = '', kind = ''] = type.toLowerCase().split('::');
  switch (type) {
    case 'AWS::SQS::Queue':
    case 'AWS::SNS::Topic':
      return localArn(service, name);
    case 'AWS::DynamoDB::Table':
    case 'AWS::DynamoDB::GlobalTable':
    case 'AWS::Serverless::SimpleTable':
      return localArn('dynamodb', `table/${name}`);
    case 'AWS::Events::EventBus':
      return localArn('events', `event-bus/${name}`);
    case 'AWS::S3::Bucket':
      return `arn:aws:s3:::${name}`;
    case 'AWS::IAM::Role':
      return `arn:aws:iam::${LOCAL_ACCOUNT}:role/${name}`;
    case 'AWS::Kinesis::Stream':
    case 'AWS::Events::Rule':
      return localArn(service, `${kind}/${name}`);
    case 'AWS::Scheduler::Schedule':
      return localArn(service, `schedule/default/${name}`);
    default:
      return localArn(
        Object.hasOwn(SERVICES, service) ? (SERVICES[service] ?? '') : service || 'local',
        `${kind || 'resource'}:${name}`,
      );
  }
}
