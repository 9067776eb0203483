import type { CommitItem } from 'batchlatch/dynamodb';
import type { Transfer } from './transfer.ts';

/** Both sides of a transfer, each as a posting and in the balance of its account. All of it is written, or nothing. */
export function postingsOf({ transferId, from, to, amountCents }: Transfer, TableName: string): CommitItem[] {
  return [
    {
      Update: {
        TableName,
        Key: { account: from, entry: 'balance' },
        UpdateExpression: 'SET balanceCents = balanceCents - :amount',
        ConditionExpression: 'balanceCents >= :amount',
        ExpressionAttributeValues: { ':amount': amountCents },
      },
    },
    {
      Update: {
        TableName,
        Key: { account: to, entry: 'balance' },
        UpdateExpression: 'SET balanceCents = balanceCents + :amount',
        ConditionExpression: 'attribute_exists(balanceCents)',
        ExpressionAttributeValues: { ':amount': amountCents },
      },
    },
    posting(from, -amountCents),
    posting(to, amountCents),
  ];

  function posting(account: string, cents: number): CommitItem {
    return {
      Put: {
        TableName,
        Item: { account, entry: `posting#${transferId}`, cents, at: new Date().toISOString() },
      },
    };
  }
}

/** What is kept of a transfer that the accounts did not allow. */
export function rejectionOf({ transferId, from, amountCents }: Transfer, TableName: string): CommitItem[] {
  const entry = `rejected#${transferId}`;
  return [{ Put: { TableName, Item: { account: from, entry, amountCents, at: new Date().toISOString() } } }];
}
