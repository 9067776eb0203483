import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';

/** One table: an account's balance is its entry `balance`, and every booking an entry of its own beside it. */
function ledgerTableDefinition(tableName: string): CreateTableCommandInput {
  return {
    TableName: tableName,
    AttributeDefinitions: [
      { AttributeName: 'account', AttributeType: 'S' },
      { AttributeName: 'entry', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'account', KeyType: 'HASH' },
      { AttributeName: 'entry', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  };
}

/** Creates the ledger with up to 25 accounts, each with the same balance. */
export async function openLedger(
  client: DynamoDBClient,
  tableName: string,
  accounts: readonly string[],
  balanceCents: number,
): Promise<void> {
  await client.send(new CreateTableCommand(ledgerTableDefinition(tableName)));
  const puts = accounts.map((account) => ({
    PutRequest: { Item: { account, entry: 'balance', balanceCents } },
  }));
  await DynamoDBDocumentClient.from(client).send(
    new BatchWriteCommand({ RequestItems: { [tableName]: puts } }),
  );
}

export interface LedgerEntry {
  readonly account: string;
  /** `balance`, `posting#…` or `rejected#…`. */
  readonly entry: string;
  readonly balanceCents?: number;
  readonly cents?: number;
}

export async function readLedger(client: DynamoDBClient, tableName: string): Promise<LedgerEntry[]> {
  const documents = DynamoDBDocumentClient.from(client);
  const entries: LedgerEntry[] = [];
  const pages = paginateScan({ client: documents }, { TableName: tableName, ConsistentRead: true });
  for await (const { Items = [] } of pages) entries.push(...(Items as LedgerEntry[]));
  return entries;
}
