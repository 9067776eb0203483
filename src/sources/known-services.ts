import { isObject } from '../base/is-object.ts';

/** Names the service of an event: https://docs.aws.amazon.com/lambda/latest/dg/lambda-services.html */
export function knownService(event: object): string | undefined {
  const source = sourceOf(event);
  if (typeof source === 'string' && Object.hasOwn(SOURCES, source)) return SOURCES[source];
  return SHAPES.find(([, matches]) => matches(event as Members))?.[0];
}

type Members = Readonly<Record<string, unknown>>;

/** Names by the `eventSource` of the event or of its first record. */
const SOURCES: Readonly<Record<string, string>> = {
  'aws:kafka': 'Kafka',
  SelfManagedKafka: 'Kafka',
  'aws:mq': 'Amazon MQ (ActiveMQ)',
  'aws:amq': 'Amazon MQ (ActiveMQ)',
  'aws:rmq': 'Amazon MQ (RabbitMQ)',
  'aws:docdb': 'Amazon DocumentDB',
  'aws:ses': 'Amazon SES',
  'aws:codecommit': 'AWS CodeCommit',
  'aws:events': 'EventBridge',
};

function sourceOf(event: object): unknown {
  const [first] = (Array.isArray(event) ? event : listIn(event, 'Records')) as unknown[];
  for (const one of [event, first]) {
    if (isObject(one) && 'eventSource' in one) return one.eventSource;
  }
  return undefined;
}

const SHAPES: readonly (readonly [string, (event: Members) => boolean])[] = [
  ['CloudFront (Lambda@Edge)', (event) => has(listIn(event, 'Records')[0], 'cf')],
  ['CloudWatch Logs', (event) => has(event, 'awslogs')],
  ['CloudWatch alarms', (event) => has(event, 'alarmData') || has(event, 'alarmArn')],
  ['Amazon Cognito (user pool trigger)', (event) => has(event, 'triggerSource', 'userPoolId')],
  ['Amazon Cognito (sync trigger)', (event) => has(event, 'datasetName', 'identityPoolId')],
  ['AWS Config', (event) => has(event, 'invokingEvent')],
  ['AWS CodePipeline', (event) => has(event, 'CodePipeline.job')],
  ['CloudFormation (custom resource)', (event) => has(event, 'RequestType', 'ResponseURL')],
  ['Secrets Manager (rotation)', (event) => has(event, 'SecretId', 'ClientRequestToken')],
  ['Amazon Data Firehose (transformation)', (event) => has(event, 'deliveryStreamArn', 'records')],
  ['Kinesis Data Analytics', (event) => has(event, 'applicationArn', 'records')],
  ['S3 Object Lambda', (event) => has(event, 'getObjectContext')],
  ['S3 Batch Operations', (event) => has(event, 'invocationSchemaVersion', 'tasks')],
  ['AWS AppSync', (event) => has(event, 'info') && has(event['info'], 'fieldName')],
  ['Amazon Lex', (event) => has(event, 'bot') && (has(event, 'sessionState') || has(event, 'currentIntent'))],
  ['Alexa', (event) => has(event, 'session', 'request') || has(event, 'directive')],
  ['Amazon Connect', (event) => event['Name'] === 'ContactFlowEvent'],
  ['Amazon Bedrock Agents', (event) => has(event, 'messageVersion', 'agent')],
  ['API Gateway (authorizer)', (event) => has(event, 'methodArn') || has(event, 'routeArn')],
  ['API Gateway (WebSocket)', (event) => hasContext(event, 'connectionId')],
  ['an Application Load Balancer (see withHttpIdempotency)', (event) => hasContext(event, 'elb')],
  [
    'API Gateway or a function URL (see withHttpIdempotency)',
    (event) => has(event, 'httpMethod') || hasContext(event, 'http'),
  ],
  ['VPC Lattice', (event) => has(event, 'raw_path') || hasContext(event, 'serviceNetworkArn')],
];

function hasContext(event: Members, member: string): boolean {
  return has(event['requestContext'], member);
}

function has(value: unknown, ...members: string[]): boolean {
  return isObject(value) && members.every((member) => Object.hasOwn(value, member));
}

function listIn(event: object, member: string): readonly unknown[] {
  const list = (event as Members)[member];
  return Array.isArray(list) ? list : [];
}
