import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';

/** A table in its current state. */
export interface CurrentTable {
  readonly description: TableDescription;
  /** The TTL attribute; undefined if TTL is off. */
  readonly ttl: string | undefined;
  readonly isRecoverable: boolean;
}

/** Describes the table; undefined if there is none. */
export async function currentTable(
  client: DynamoDBClient,
  TableName: string,
  abortSignal: AbortSignal,
): Promise<CurrentTable | undefined> {
  try {
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }), { abortSignal });
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }), {
      abortSignal,
    });
    const isOn = TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL') === true;
    return {
      description: Table,
      ttl: isOn ? TimeToLiveDescription?.AttributeName : undefined,
      isRecoverable: await isRecoverable(client, TableName, abortSignal),
    };
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

async function isRecoverable(
  client: DynamoDBClient,
  TableName: string,
  abortSignal: AbortSignal,
): Promise<boolean> {
  try {
    const { ContinuousBackupsDescription } = await client.send(
      new DescribeContinuousBackupsCommand({ TableName }),
      { abortSignal },
    );
    return (
      ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED'
    );
  } catch (error) {
    // Emulators have no backups.
    if (error instanceof Error && /^(UnknownOperation|NotImplemented|ValidationException)/.test(error.name))
      return true;
    throw error;
  }
}
