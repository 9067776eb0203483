import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { afterAll, beforeAll } from '@jest/globals';
import type { ConsoleConfig } from '../../src/console-function/config.ts';
import { type ConsoleHandler, createConsoleHandler } from '../../src/console-function/console-handler.ts';
import type { ConsolePorts } from '../../src/console-function/console-ports.ts';
import type { FunctionResponse } from '../../src/console-function/function-event.ts';
import { publicKeysOf } from '../../src/console-function/jwt.ts';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import { systemClock } from '../../src/tool-base/clock.ts';
import { CHANGES, type ConsolePermissions, READS } from '../../../../test/support/console-permissions.ts';
import { emulatedTable } from '../../../../test/support/emulated-table.ts';

/** The IAM actions by which clients call operations under another name. */
const ACTIONS: Readonly<Record<string, string>> = {
  BatchExecuteStatement: 'PartiQLInsert',
  TransactWriteItems: 'UpdateItem',
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};

export const ROLES = { read: ['staff'], operate: ['operators'] };
export const HOST = 'console.example.com';

/** A console for a team on tables of an emulator. */
export interface Team {
  readonly tableName: string;
  /** Of the emulator. */
  readonly endpoint: string;
  readonly config: ConsoleConfig;
  readonly ports: ConsolePorts;
  readonly log: Readonly<Record<string, unknown>>[];
  /** The people for whom credentials to change something were asked for. */
  readonly assumed: string[];
  handler(more?: {
    readonly config?: Partial<ConsoleConfig>;
    readonly ports?: Partial<ConsolePorts>;
  }): ConsoleHandler;
  /** Parks claims with these keys. */
  park(...keys: readonly string[]): Promise<void>;
  rowOf(key: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** Starts the tables. Each client may do what its role may do, and nothing else, as if IAM said so. */
export function team(entrance: () => ConsoleConfig['entrance'], keys: () => string): Team {
  const table = emulatedTable('dynoxide', { leaseUntil: 'leaseUntil' });
  const actionsTableName = `actions-${randomUUID()}`;
  const opened: { destroy(): void }[] = [];
  const log: Readonly<Record<string, unknown>>[] = [];
  const assumed: string[] = [];
  beforeAll(async () => {
    await table.newClient().send(
      new CreateTableCommand({
        TableName: actionsTableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'log', AttributeType: 'S' },
          { AttributeName: 'at', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'log', KeyType: 'HASH' },
          { AttributeName: 'at', KeyType: 'RANGE' },
        ],
      }),
    );
  });
  afterAll(() => opened.forEach((one) => one.destroy()));
  const configOf = (): ConsoleConfig => ({
    tableName: table.tableName,
    hasIndex: true,
    actionsTableName,
    actionRetentionDays: 400,
    queues: [],
    queuesUrl: 'http://127.0.0.1:9/000000000000/',
    entrance: entrance(),
    changes: { roleArn: 'arn:aws:iam::123456789012:role/changes', stsUrl: 'http://127.0.0.1:9' },
  });
  const portsOf = (): ConsolePorts => ({
    clients: (credentials) => {
      const settings = { ...emulatorClientConfig, endpoint: table.endpoint };
      const allowed = credentials === undefined ? READS : CHANGES;
      const clients = { dynamodb: allowing(new DynamoDB(settings), allowed), sqs: new SQS(settings) };
      opened.push(clients.dynamodb, clients.sqs);
      return clients;
    },
    credentialsFor: async (operator) => {
      assumed.push(operator);
      return emulatorClientConfig.credentials;
    },
    keys: publicKeysOf(keys()),
    appFolder: '/nonexistent',
    version: '0.0.0-test',
    clock: systemClock,
    log: (entry) => log.push(entry),
  });
  return {
    get tableName() {
      return table.tableName;
    },
    get endpoint() {
      return table.endpoint;
    },
    get config() {
      return configOf();
    },
    get ports() {
      return portsOf();
    },
    log,
    assumed,
    handler: ({ config, ports } = {}) =>
      createConsoleHandler({ ...configOf(), ...config }, { ...portsOf(), ...ports }),
    async park(...names) {
      const store = dynamoDBStore({ tableName: table.tableName, client: table.newClient() });
      for (const key of names) {
        const owner = randomUUID();
        await store.acquire([{ key, owner, leaseMs: 60_000, retentionMs: 3_600_000 }]);
        const error = { name: 'CardDeclined', message: 'The card was declined.' };
        await store.settle([{ key, owner, end: 'park', error, retentionMs: 3_600_000 }]);
      }
    },
    rowOf: (key) => table.rowOf(key),
  };
}

/** Refuses operations that the role has no permission for. */
export function allowing<Client extends DynamoDB | SQS>(client: Client, allowed: ConsolePermissions): Client {
  const names = new Set(Object.values(allowed).flatMap((actions) => actions.map(withoutService)));
  // The emulator does not list the queues that feed a dead-letter queue, so all queues are searched.
  names.add('ListQueues');
  const { middlewareStack } = client as DynamoDB;
  middlewareStack.add(
    (next, { commandName = '' }) =>
      (given) => {
        const operation = commandName.replace(/Command$/, '');
        if (names.has(ACTIONS[operation] ?? operation)) return next(given);
        const refusal = new Error(`not authorized to perform ${operation}`);
        throw Object.assign(refusal, { name: 'AccessDeniedException' });
      },
    { step: 'initialize' },
  );
  return client;
}

function withoutService(action: string): string {
  return action.replace(/^.*:/, '');
}

/** A request as a load balancer passes it. */
export function loadBalancerEvent(
  path: string,
  {
    token,
    body,
    headers = {},
  }: { readonly token?: string; readonly body?: unknown; readonly headers?: object },
): object {
  const [pathname, search = ''] = path.split('?');
  const query = search === '' ? [] : search.split('&').map((pair) => pair.split('='));
  return {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/x/1' },
    },
    httpMethod: body === undefined ? 'GET' : 'POST',
    path: pathname,
    queryStringParameters: Object.fromEntries(query),
    headers: {
      host: HOST,
      ...(token !== undefined && { 'x-amzn-oidc-data': token }),
      ...(body !== undefined && OWN_POST),
      ...headers,
    },
    body: body === undefined ? '' : JSON.stringify(body),
    isBase64Encoded: false,
  };
}

const OWN_POST = {
  'content-type': 'application/json',
  origin: `https://${HOST}`,
  'sec-fetch-site': 'same-origin',
  'x-batchlatch-console': '1',
};

/** A request as Lambda passes it from a function URL. */
export function functionUrlEvent(
  path: string,
  {
    userArn,
    body,
    headers = {},
  }: { readonly userArn?: string; readonly body?: unknown; readonly headers?: object },
): object {
  const [rawPath, rawQueryString = ''] = path.split('?');
  const method = body === undefined ? 'GET' : 'POST';
  return {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: { host: HOST, ...(body !== undefined && OWN_POST), ...headers },
    requestContext: { http: { method, path: rawPath }, authorizer: userArn && { iam: { userArn } } },
    ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)).toString('base64') }),
    isBase64Encoded: body !== undefined,
  };
}

/** The value of a JSON response. */
export function json({ body }: FunctionResponse): unknown {
  return JSON.parse(body);
}
