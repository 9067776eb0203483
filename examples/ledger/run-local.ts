/** Books a few transfers on this machine, every message delivered twice, and prints the ledger. */
import '../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { emulatorEnvironment } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { openLedger, readLedger } from './ledger-table.ts';
import type { Transfer } from './transfer.ts';

const emulator = await startDynamoDBEmulator('dynoxide'); // dynalite has no transactions
Object.assign(process.env, emulatorEnvironment, {
  AWS_ENDPOINT_URL_DYNAMODB: emulator.endpoint,
  CLAIMS_TABLE_NAME: 'claims',
  LEDGER_TABLE_NAME: 'ledger',
});
const client = new DynamoDBClient();
await client.send(new CreateTableCommand(claimsTableDefinition('claims').table));
await openLedger(client, 'ledger', ['alice', 'bob'], 10_000);

const transfers: Transfer[] = [
  { transferId: 't1', from: 'alice', to: 'bob', amountCents: 2_500 },
  { transferId: 't2', from: 'bob', to: 'alice', amountCents: 100 },
  { transferId: 't3', from: 'alice', to: 'bob', amountCents: 1_000_000 },
];
const { handler } = await import('./ledger-queue.ts');
const event = sqsEvent(transfers.map((body) => ({ body })));
for (let delivery = 1; delivery <= 2; delivery += 1) {
  console.log(`delivery ${delivery}:`, JSON.stringify(await handler(event, lambdaContext())));
}
console.table(await readLedger(client, 'ledger'));
client.destroy();
await emulator.stop();
