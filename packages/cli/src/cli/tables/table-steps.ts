import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type ProvisionedThroughput,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { ClaimsTableDefinition } from 'batchlatch/dynamodb';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import type { CurrentTable } from './current-table.ts';

/** The table that the options ask for. */
export interface WantedTable {
  readonly definition: ClaimsTableDefinition;
  /** Whether the options name the index; else it may have any name. */
  readonly isIndexNamed: boolean;
  readonly isProtected: boolean;
  readonly isRecoverable: boolean;
  /** Absent: on-demand capacity. */
  readonly capacity?: ProvisionedThroughput;
}

/** A step of `table create`. */
export interface TableStep {
  readonly code: 'create' | 'time-to-live' | 'overdue-index' | 'deletion-protection' | 'recovery';
  /** For a person. */
  readonly what: string;
  take(client: DynamoDBClient, context: Context): Promise<void>;
}

/** Returns the steps that turn the current table into the wanted one. Throws a `CliError` if none can. */
export function stepsFor(wanted: WantedTable, current: CurrentTable | undefined): TableStep[] {
  if (current === undefined) {
    return [createStep(wanted), ttlStep(wanted), ...(wanted.isRecoverable ? [recoveryStep(wanted)] : [])];
  }
  assertKey(wanted, current);
  return [
    ...(hasIndex(wanted, current) ? [] : [indexStep(wanted, current)]),
    ...(hasTtl(wanted, current) ? [] : [ttlStep(wanted)]),
    ...(wanted.isProtected && current.description.DeletionProtectionEnabled === false
      ? [protectionStep(wanted)]
      : []),
    ...(wanted.isRecoverable && !current.isRecoverable ? [recoveryStep(wanted)] : []),
  ];
}

function createStep({ definition, isProtected, capacity }: WantedTable): TableStep {
  const { table } = definition;
  const [index] = table.GlobalSecondaryIndexes ?? [];
  const parts = [
    capacity === undefined
      ? 'on demand'
      : `${capacity.ReadCapacityUnits} read and ${capacity.WriteCapacityUnits} write units`,
    index === undefined
      ? 'without an index of overdue claims'
      : `index \`${index.IndexName}\` of overdue claims`,
    isProtected ? 'deletion protection' : 'without deletion protection',
  ];
  return {
    code: 'create',
    what: `create it: ${parts.join(', ')}`,
    async take(client, context) {
      const { signal } = context;
      const create = new CreateTableCommand({
        ...table,
        DeletionProtectionEnabled: isProtected,
        ...(capacity !== undefined && { BillingMode: 'PROVISIONED', ProvisionedThroughput: capacity }),
        ...(index !== undefined && {
          GlobalSecondaryIndexes: [
            { ...index, ...(capacity !== undefined && { ProvisionedThroughput: capacity }) },
          ],
        }),
      });
      await client.send(create, { abortSignal: signal });
      await untilActive(client, nameOf(definition), context);
    },
  };
}

function ttlStep({ definition }: WantedTable): TableStep {
  return {
    code: 'time-to-live',
    what: `turn TTL on: rows are deleted after \`${ttlOf(definition)}\``,
    async take(client, { signal }) {
      await client.send(new UpdateTimeToLiveCommand(definition.timeToLive), { abortSignal: signal });
    },
  };
}

function indexStep({ definition, capacity }: WantedTable, { description }: CurrentTable): TableStep {
  const [index] = definition.table.GlobalSecondaryIndexes ?? [];
  const isOnDemand = description.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST';
  return {
    code: 'overdue-index',
    what:
      `add the index \`${index?.IndexName}\` of overdue claims, ` +
      'with those that are in progress or parked now',
    async take(client, context) {
      const { signal } = context;
      const throughput = isOnDemand
        ? {}
        : { ProvisionedThroughput: capacity ?? { ReadCapacityUnits: 5, WriteCapacityUnits: 5 } };
      const update = new UpdateTableCommand({
        TableName: nameOf(definition),
        AttributeDefinitions: definition.table.AttributeDefinitions,
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: index?.IndexName,
              KeySchema: index?.KeySchema,
              Projection: index?.Projection,
              ...throughput,
            },
          },
        ],
      });
      await client.send(update, { abortSignal: signal });
      await untilActive(client, nameOf(definition), context);
    },
  };
}

function protectionStep({ definition }: WantedTable): TableStep {
  return {
    code: 'deletion-protection',
    what: 'turn deletion protection on',
    async take(client, context) {
      const { signal } = context;
      const TableName = nameOf(definition);
      await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true }), {
        abortSignal: signal,
      });
      await untilActive(client, TableName, context);
    },
  };
}

function recoveryStep({ definition }: WantedTable): TableStep {
  return {
    code: 'recovery',
    what: 'turn point-in-time recovery on',
    async take(client, context) {
      const { screen } = context;
      const update = new UpdateContinuousBackupsCommand({
        TableName: nameOf(definition),
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
      try {
        await onceBackupsAreEnabled(() => client.send(update, { abortSignal: context.signal }), context);
      } catch (error) {
        if (!(error instanceof Error && /^(UnknownOperation|NotImplemented)/.test(error.name))) throw error;
        screen.note('This emulator has no point-in-time recovery.');
      }
    },
  };
}

/** DynamoDB enables the backups of a new table some time after the table is active. */
const BACKUPS_TRIES = 60;

/** Calls `turnOn` again, every two seconds, while the backups of the table are being enabled. */
async function onceBackupsAreEnabled(
  turnOn: () => Promise<unknown>,
  { signal, sleep }: Context,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await turnOn();
      return;
    } catch (error) {
      const isEarly = error instanceof Error && error.name === 'ContinuousBackupsUnavailableException';
      if (!isEarly || tries >= BACKUPS_TRIES) throw error;
      await sleep(2_000);
      signal.throwIfAborted();
    }
  }
}

/** Waits until the table exists, and nothing of it or its indexes is under way. */
async function untilActive(client: DynamoDBClient, TableName: string, context: Context): Promise<void> {
  const maxWaitTime = 3_600; // building an index of a large table takes long
  const { signal } = context;
  await waitUntilTableExists({ client, maxWaitTime, minDelay: 1, abortSignal: signal }, { TableName });
  await whileChanging(client, TableName, context);
}

/** Waits for what an interrupted run or somebody else has begun: DynamoDB refuses other changes meanwhile. */
export async function untilUnchanging(
  client: DynamoDBClient,
  TableName: string,
  context: Context,
): Promise<void> {
  let isTold = false;
  const tell = (): void => {
    if (!isTold) context.screen.note(`Table ${escapeControls(TableName)} is being created or changed …`);
    isTold = true;
  };
  try {
    await whileChanging(client, TableName, context, tell);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ResourceNotFoundException')) throw error;
  }
}

async function whileChanging(
  client: DynamoDBClient,
  TableName: string,
  { signal, sleep }: Context,
  onWait: () => void = () => undefined,
): Promise<void> {
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }), { abortSignal: signal });
    const statuses = [
      Table?.TableStatus,
      ...(Table?.GlobalSecondaryIndexes ?? []).map((index) => index.IndexStatus),
    ];
    // CREATING, UPDATING or DELETING; from other states a table does not come back by itself.
    if (!statuses.some((status) => status?.endsWith('ING'))) return;
    onWait();
    await sleep(2_000);
    signal.throwIfAborted();
  }
}

function assertKey({ definition }: WantedTable, { description }: CurrentTable): void {
  const [key] = definition.table.KeySchema ?? [];
  const has = description.KeySchema ?? [];
  const type = description.AttributeDefinitions?.find(
    ({ AttributeName }) => AttributeName === key?.AttributeName,
  )?.AttributeType;
  if (has.length === 1 && has[0]?.AttributeName === key?.AttributeName && type === 'S') return;
  const shown = has
    .map(({ AttributeName = '', KeyType }) => `${escapeControls(AttributeName)} (${KeyType})`)
    .join(', ');
  throw new CliError(
    `Table ${nameOf(definition)} exists with another key (${shown}), ` +
      'which cannot be changed: name another table with --table.',
  );
}

function hasTtl({ definition }: WantedTable, { ttl }: CurrentTable): boolean {
  if (ttl === undefined) return false;
  if (ttl === ttlOf(definition)) return true;
  throw new CliError(
    `The TTL of table ${nameOf(definition)} is on \`${escapeControls(ttl)}\` ` +
      `and not on \`${ttlOf(definition)}\`: turn it off with \`aws dynamodb ` +
      'update-time-to-live`, and run this again an hour later.',
  );
}

function hasIndex({ definition, isIndexNamed }: WantedTable, { description }: CurrentTable): boolean {
  const [index] = definition.table.GlobalSecondaryIndexes ?? [];
  if (index === undefined) return true;
  const partition = index.KeySchema?.[0]?.AttributeName;
  const names = (description.GlobalSecondaryIndexes ?? []).flatMap(({ IndexName = '', KeySchema = [] }) =>
    KeySchema[0]?.AttributeName === partition ? [IndexName] : [],
  );
  if (names.length === 0 || !isIndexNamed || names.includes(index.IndexName ?? '')) return names.length > 0;
  throw new CliError(
    `The index of overdue claims of table ${nameOf(definition)} is \`${escapeControls(names[0] ?? '')}\`, ` +
      'and an index cannot be renamed: leave out --index.',
  );
}

function ttlOf({ timeToLive }: ClaimsTableDefinition): string {
  return timeToLive.TimeToLiveSpecification?.AttributeName ?? '';
}

function nameOf({ table }: ClaimsTableDefinition): string {
  return table.TableName ?? '';
}
