import type { Table } from '../../template/model.ts';
import type { DynamoDBReader } from './clients.ts';
import type { LiveReading } from './live-reading.ts';

/**
 * Reads a table by its name. Throws a `ConfigurationError` if it does not exist, unless only a function's
 * environment names it.
 */
export async function readLiveTable(
  dynamoDB: DynamoDBReader,
  TableName: string,
  reading: LiveReading,
  ofEnvironment = false,
): Promise<Table | undefined> {
  const input = { TableName };
  const described = await reading[ofEnvironment ? 'optional' : 'named'](
    `table ${TableName}`,
    'dynamodb:DescribeTable',
    () => dynamoDB.describeTable(input),
  );
  if (described?.Table === undefined) return undefined;
  const {
    KeySchema = [],
    AttributeDefinitions = [],
    GlobalSecondaryIndexes = [],
    ...table
  } = described.Table;
  const ttl = await reading.optional(`table ${TableName}, TTL`, 'dynamodb:DescribeTimeToLive', () =>
    dynamoDB.describeTimeToLive(input),
  );
  const backups = await reading.optional(
    `table ${TableName}, point-in-time recovery`,
    'dynamodb:DescribeContinuousBackups',
    () => dynamoDB.describeContinuousBackups(input),
  );
  const recovery =
    backups?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  const name = table.TableName ?? TableName;
  return {
    id: name,
    name,
    ignore: new Set(),
    key: {
      value: KeySchema.map((part) => ({
        name: part.AttributeName ?? '',
        role: part.KeyType ?? '',
        type: AttributeDefinitions.find(({ AttributeName }) => AttributeName === part.AttributeName)
          ?.AttributeType,
      })),
    },
    ttl: ttl === undefined ? NOT_READ : { value: ttlOf(ttl.TimeToLiveDescription ?? {}) },
    hasPointInTimeRecovery: recovery === undefined ? NOT_READ : { value: recovery === 'ENABLED' },
    hasDeletionProtection: { value: table.DeletionProtectionEnabled === true },
    regions: { value: 1 + (table.Replicas?.length ?? 0) },
    indexKeys: {
      value: GlobalSecondaryIndexes.flatMap(({ KeySchema: parts = [] }) =>
        parts.filter(({ KeyType }) => KeyType === 'HASH').map(({ AttributeName = '' }) => AttributeName),
      ),
    },
    arnTails: [`table/${name}`],
  };
}

const NOT_READ = { unknown: 'it could not be read' } as const;

function ttlOf({
  TimeToLiveStatus,
  AttributeName,
}: {
  TimeToLiveStatus?: string | undefined;
  AttributeName?: string | undefined;
}): NonNullable<Table['ttl']['value']> {
  return {
    attribute: AttributeName,
    isEnabled: { value: TimeToLiveStatus === 'ENABLED' || TimeToLiveStatus === 'ENABLING' },
  };
}
