import { randomUUID } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import type { Order } from '../workload.ts';
import type { ContenderSetup, MakeBatchHandler } from './contender.ts';
import { rawDynamoDB, type SendRaw } from './raw-dynamodb.ts';

/** DynamoDB's limit of statements in a request. */
const STATEMENTS = 25;
const RETENTION_SECONDS = 4 * 24 * 60 * 60;

/** One record on its way: its claim's key and owner, and how it ended. */
interface Item {
  readonly record: SQSRecord;
  readonly id: string;
  readonly owner: string;
  end: 'claimed' | 'duplicate' | 'COMPLETED' | 'FAILED';
}

/** The two unavoidable requests for 25 records: claim them, settle them. Nothing else is done for a record. */
export const floor: MakeBatchHandler = (setup) => raw(setup, STATEMENTS, claimBatch, settleBatch);

/** The two unavoidable requests of a library that sends them one by one. */
export const floorSingle: MakeBatchHandler = (setup) => raw(setup, 1, claimOne, settleOne);

type Step = (send: SendRaw, tableName: string, items: readonly Item[]) => Promise<void>;

function raw(
  { endpoint, tableName, handler }: ContenderSetup,
  together: number,
  claim: Step,
  settle: Step,
): ReturnType<MakeBatchHandler> {
  const send = rawDynamoDB(endpoint);

  async function run(item: Item): Promise<void> {
    if (item.end === 'duplicate') return;
    try {
      await handler(JSON.parse(item.record.body) as Order);
      item.end = 'COMPLETED';
    } catch {
      item.end = 'FAILED';
    }
  }

  return async ({ Records }) => {
    const items = Records.map((record): Item => ({
      record,
      id: `orders#v1:${record.messageId}`,
      owner: randomUUID(),
      end: 'claimed',
    }));
    const chunks: Item[][] = [];
    for (let from = 0; from < items.length; from += together) chunks.push(items.slice(from, from + together));
    await Promise.all(
      chunks.map(async (chunk) => {
        await claim(send, tableName, chunk);
        await Promise.all(chunk.map(run));
        const ended = chunk.filter(({ end }) => end !== 'duplicate');
        if (ended.length > 0) await settle(send, tableName, ended);
      }),
    );
    const failed = items.filter(({ end }) => end === 'FAILED');
    return { batchItemFailures: failed.map(({ record }) => ({ itemIdentifier: record.messageId })) };
  };
}

async function claimBatch(send: SendRaw, tableName: string, items: readonly Item[]): Promise<void> {
  const Statement = `INSERT INTO "${tableName}" VALUE {'id': ?, 'status': ?, 'owner': ?, 'leaseUntil': ?, 'expiresAt': ?}`;
  const Statements = items.map((item) => ({ Statement, Parameters: Object.values(claimOf(item)) }));
  const { output } = await send('BatchExecuteStatement', { Statements });
  items.forEach((item, index) => {
    const code = output.Responses?.[index]?.Error?.Code;
    if (code === 'DuplicateItem') item.end = 'duplicate';
    else if (code !== undefined) throw new Error(`The claim failed: ${code}`);
  });
}

async function settleBatch(send: SendRaw, tableName: string, items: readonly Item[]): Promise<void> {
  const Statement = `UPDATE "${tableName}" SET "status" = ?, "expiresAt" = ? WHERE "id" = ? AND "owner" = ?`;
  const Statements = items.map(({ id, owner, end }) => ({
    Statement,
    Parameters: [{ S: end }, { N: expiry() }, { S: id }, { S: owner }],
  }));
  const { output } = await send('BatchExecuteStatement', { Statements });
  const code = output.Responses?.find(({ Error }) => Error !== undefined)?.Error?.Code;
  if (code !== undefined) throw new Error(`The settlement failed: ${code}`);
}

async function claimOne(send: SendRaw, TableName: string, [item]: readonly Item[]): Promise<void> {
  if (item === undefined) return;
  const { status } = await send('PutItem', {
    TableName,
    Item: claimOf(item),
    ConditionExpression: 'attribute_not_exists(id)',
  });
  if (status !== 200) item.end = 'duplicate';
}

async function settleOne(send: SendRaw, TableName: string, [item]: readonly Item[]): Promise<void> {
  if (item === undefined) return;
  const { status } = await send('UpdateItem', {
    TableName,
    Key: { id: { S: item.id } },
    UpdateExpression: 'SET #status = :status, expiresAt = :expiresAt',
    ConditionExpression: '#owner = :owner',
    ExpressionAttributeNames: { '#status': 'status', '#owner': 'owner' },
    ExpressionAttributeValues: {
      ':status': { S: item.end },
      ':expiresAt': { N: expiry() },
      ':owner': { S: item.owner },
    },
  });
  if (status !== 200) throw new Error(`The settlement failed: ${status}`);
}

function claimOf({ id, owner }: Item): Record<string, { S: string } | { N: string }> {
  return {
    id: { S: id },
    status: { S: 'IN_PROGRESS' },
    owner: { S: owner },
    leaseUntil: { N: String(Date.now() + 60_000) },
    expiresAt: { N: expiry() },
  };
}

function expiry(): string {
  return String(Math.ceil(Date.now() / 1_000) + RETENTION_SECONDS);
}
