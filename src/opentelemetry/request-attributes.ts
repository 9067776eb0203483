import type { Attributes } from '@opentelemetry/api';
import type { RequestMessage } from '../aws/request-watch.ts';

/** The name and the initial attributes of a request's span. */
export interface RequestDescription {
  readonly name: string;
  readonly attributes: Attributes;
}

/**
 * Describes a request, without keys and statements, by the semantic conventions of OpenTelemetry
 * (opentelemetry.io/docs/specs/semconv/database/dynamodb, …/messaging/sqs).
 */
export function describeRequest({
  service,
  operation,
  input,
  url,
  region,
}: RequestMessage): RequestDescription {
  const server: Attributes = {
    'server.address': url.hostname.replace(/^\[(.+)\]$/, '$1'),
    'server.port': Number(url.port || (url.protocol === 'http:' ? 80 : 443)),
    'cloud.region': region,
  };
  const members = input as Members;
  return service === 'sqs' ? ofSqs(operation, members, server) : ofDynamoDB(operation, members, server);
}

type Members = Readonly<Record<string, unknown>>;

function ofDynamoDB(operation: string, input: Members, server: Attributes): RequestDescription {
  const tables = tablesOf(input);
  const items = sizeOf(input);
  return {
    name: [operation, ...(tables.length === 1 ? tables : [])].join(' '),
    attributes: {
      ...server,
      'db.system.name': 'aws.dynamodb',
      'db.operation.name': operation,
      ...(items > 1 && { 'db.operation.batch.size': items }),
      ...(tables.length > 0 && { 'aws.dynamodb.table_names': tables }),
    },
  };
}

function sizeOf({ Statements, TransactItems, RequestItems }: Members): number {
  const ofTables = Object.values((RequestItems ?? {}) as Readonly<Record<string, { Keys?: unknown[] }>>);
  const keys = ofTables.reduce((sum, { Keys = [] }) => sum + Keys.length, 0);
  return ((Statements ?? TransactItems) as unknown[] | undefined)?.length ?? keys;
}

function tablesOf({ TableName, RequestItems, TransactItems, Statements }: Members): string[] {
  if (typeof TableName === 'string') return [TableName];
  if (RequestItems !== undefined) return Object.keys(RequestItems as object);
  const actions = ((TransactItems ?? []) as Readonly<Record<string, Members>>[]).flatMap(Object.values);
  // All statements of a request use the same table.
  const [first] = (Statements ?? []) as { readonly Statement?: string }[];
  const named = /(?:INTO|UPDATE|FROM) "([^"]+)"/.exec(first?.Statement ?? '')?.[1];
  return [
    ...new Set([...actions.map((action: Members) => String(action['TableName'])), ...(named ? [named] : [])]),
  ];
}

const TYPES: Readonly<Record<string, { readonly type: string; readonly verb: string }>> = {
  ReceiveMessage: { type: 'receive', verb: 'receive' },
  DeleteMessageBatch: { type: 'settle', verb: 'delete' },
  ChangeMessageVisibilityBatch: { type: 'settle', verb: 'change_visibility' },
};

function ofSqs(operation: string, { QueueUrl, Entries }: Members, server: Attributes): RequestDescription {
  const queue = typeof QueueUrl === 'string' ? QueueUrl : undefined;
  const destination = queue?.split('/').at(-1);
  const { type, verb = operation } = TYPES[operation] ?? {};
  return {
    name: [verb, ...(destination === undefined ? [] : [destination])].join(' '),
    attributes: {
      ...server,
      'messaging.system': 'aws_sqs',
      'messaging.operation.name': verb,
      ...(type !== undefined && { 'messaging.operation.type': type }),
      ...(destination !== undefined && { 'messaging.destination.name': destination }),
      ...(Array.isArray(Entries) && { 'messaging.batch.message_count': Entries.length }),
      ...(queue !== undefined && { 'aws.sqs.queue.url': queue }),
    },
  };
}
