import { CreateTableCommand, type DynamoDB, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { SQS } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { message, messages } from 'batchlatch/messages';
import {
  dynamoDBOutbox,
  dynamoDBOutboxAdmin,
  type OutboxAdmin,
  outboxTableDefinition,
  type OutboxSweep,
  sweepOutbox,
} from 'batchlatch/outbox';
import { createSender, type SenderOptions } from 'batchlatch/sender';
import * as z from 'zod';

/** An outbox of mails. */
export interface DemoOutbox {
  /** As the console takes it. */
  readonly shown: { readonly admin: OutboxAdmin; readonly place: string };
  /** Sends the rows that wait, and parks those that are refused. */
  readonly sweep: OutboxSweep;
}

const TABLE = 'mails-outbox';

const mails = messages({
  MailWanted: message(
    z.object({ mailId: z.string(), to: z.string(), text: z.string(), tenantId: z.string() }),
    { key: ['mailId'], group: 'tenantId' },
  ),
});

/**
 * Creates an outbox of mails. The two longest are parked, because their sender had a limit that was too
 * small: once released, they are sent. One mail waits behind a parked one of its group; the others are sent.
 */
export async function createDemoOutbox(dynamoDB: DynamoDB, sqs: SQS, queueUrl: string): Promise<DemoOutbox> {
  const { StreamSpecification: _stream, ...definition } = outboxTableDefinition(TABLE).table; // swept alone
  await dynamoDB.send(new CreateTableCommand(definition));
  const table = { tableName: TABLE, client: dynamoDB };
  const outbox = dynamoDBOutbox({ ...table, messages: mails });
  const sweepWith = (options: SenderOptions = {}): OutboxSweep =>
    sweepOutbox(createSender(mails, { queueUrl, client: sqs }, options), {
      ...table,
      olderThanMs: 0,
      write: () => undefined,
    });
  const add = async (number: number, tenantId: string, text: string): Promise<void> => {
    const body = { mailId: `m-${number}`, to: `customer-${number}@example.com`, text, tenantId };
    const { Put } = await outbox.message('MailWanted', body);
    await dynamoDB.send(new PutItemCommand({ TableName: TABLE, Item: marshall(Put.Item) }));
  };

  const terms = 'These are our new terms. '.repeat(100);
  await add(11, 'globex', terms);
  await add(12, 'acme', terms);
  await sweepWith({ maxMessageBytes: 1_024 })();
  await add(13, 'globex', 'You have accepted our terms.');
  for (const number of [14, 15, 16]) await add(number, 'initech', 'Welcome.');
  const sweep = sweepWith();
  await sweep();
  return { shown: { admin: dynamoDBOutboxAdmin(table), place: `outbox ${TABLE} of the demo` }, sweep };
}
