import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { SQS } from '@aws-sdk/client-sqs';
import { dynamoDBAdmin } from 'batchlatch/dynamodb';
import { processorKey } from 'batchlatch/operations';
import { dynamoDBOutboxAdmin } from 'batchlatch/outbox';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueJson } from '../console/api.ts';
import { type ConsoleParts, consoleParts } from '../console/console-parts.ts';
import type { ReadLog } from '../console/waterfall/read-waterfall.ts';
import { messageSender } from '../sending/message-sender.ts';
import type { Clock } from '../tool-base/clock.ts';
import { ActionsTable } from './actions-table.ts';
import type { Credentials } from './assume-role.ts';
import type { ConsoleConfig } from './config.ts';
import type { PublicKeys } from './jwt.ts';

/** The clients of one IAM role. */
export interface ConsoleClients {
  readonly dynamodb: DynamoDB;
  readonly sqs: SQS;
}

/** The surroundings of the function. */
export interface ConsolePorts {
  /** Creates clients. Without credentials they have the function's own role, which only reads. */
  readonly clients: (credentials?: Credentials) => ConsoleClients;
  /** Returns credentials that may change claims and queues, in the name of a person. */
  readonly credentialsFor: (operator: string) => Promise<Credentials>;
  readonly keys: PublicKeys;
  /** The folder of the built pages. */
  readonly appFolder: string;
  readonly version: string;
  /** The Region of the functions' logs. */
  readonly region?: string;
  /** Reads the functions' logs. Default: a waterfall shows what the claim says. */
  readonly readLog?: ReadLog;
  readonly clock: Clock;
  /** Writes to the function's log. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Assembles the console's parts for one request. */
export function partsOf(
  config: ConsoleConfig,
  { clock, appFolder, version, region, log, readLog }: ConsolePorts,
  { dynamodb, sqs }: ConsoleClients,
): ConsoleParts {
  const { tableName, hasIndex, actionsTableName, actionRetentionDays, outboxTableName } = config;
  const { namespace, namespaces = namespace === undefined ? undefined : [namespace] } = config;
  const now = (): number => clock.now();
  return consoleParts({
    store: dynamoDBAdmin({ tableName, client: dynamodb, clock, overdueIndex: hasIndex && {} }),
    place: `table ${tableName}`,
    operator: 'nobody', // each request has its own
    appFolder,
    version,
    queues: queuesOf(config),
    sqs,
    clock,
    keepsNothing: true,
    indexedStates: hasIndex ? ['in-progress', 'overdue', 'parked'] : [],
    estimateRows: async () => (await dynamodb.describeTable({ TableName: tableName })).Table?.ItemCount,
    actions: new ActionsTable({
      client: dynamodb,
      tableName: actionsTableName,
      retentionDays: actionRetentionDays,
      now,
      log,
    }),
    ...(outboxTableName !== undefined && {
      outbox: {
        admin: dynamoDBOutboxAdmin({ tableName: outboxTableName, client: dynamodb, clock }),
        place: `outbox ${outboxTableName}`,
      },
    }),
    ...(namespace !== undefined && { key: processorKey({ namespace }) }),
    ...(namespaces !== undefined && { namespaces }),
    ...(config.allowSending === true && { sender: messageSender(sqs, sleep) }),
    ...(readLog !== undefined && { readLog }),
    ...(region !== undefined && { region }),
  });
}

function queuesOf({ queues, queuesUrl }: ConsoleConfig): QueueJson[] {
  return queues.flatMap((names) =>
    names.map((name, index) => ({ name, url: `${queuesUrl}${name}`, isDeadLetter: index === 1 })),
  );
}
