import { Readable } from 'node:stream';
import type { BatchProcessor } from 'batchlatch';
import type * as Core from 'batchlatch/core';
import type * as DynamoDB from 'batchlatch/dynamodb';
import type * as Memory from 'batchlatch/memory';
import type * as Operations from 'batchlatch/operations';
import type * as Worker from 'batchlatch/worker';
import type * as Cli from '../../packages/cli/src/cli/run.ts';
import { batchOf, processorOf, runBatch } from './batches.ts';
import { TRACED_TABLE } from './dynamodb.ts';
import { OneMessageQueue } from './one-message-queue.ts';
import { filesEntered, traceSource } from './trace.ts';

/** The files that one step enters, in order. */
export type Steps = Readonly<Record<StepName, readonly string[]>>;

export type StepName =
  | 'a record, memory store'
  | 'a record, DynamoDB'
  | 'a settlement, memory store'
  | 'a settlement, DynamoDB'
  | 'a release, DynamoDB'
  | '`claims release`, DynamoDB'
  | 'a message, worker and memory store';

const ENTRIES = {
  core: 'src/core.ts',
  memory: 'src/stores/memory/index.ts',
  dynamodb: 'src/stores/dynamodb/index.ts',
  operations: 'src/operations/index.ts',
  worker: 'src/worker/index.ts',
  cli: 'packages/cli/src/cli/run.ts',
};

/** Traces each step once it has been done before, when what is loaded once is loaded. Needs the DynamoDB of the environment. */
export async function traceSteps(): Promise<Steps> {
  const source = await traceSource(Object.values(ENTRIES));
  try {
    const load = async <Entry>(name: keyof typeof ENTRIES): Promise<Entry> =>
      (await source.load(ENTRIES[name])) as Entry;
    const core = await load<typeof Core>('core');
    const operations = await load<typeof Operations>('operations');
    const { dynamoDBStore, dynamoDBAdmin } = await load<typeof DynamoDB>('dynamodb');
    const inDynamoDB = dynamoDBStore({ tableName: TRACED_TABLE });
    const admin = dynamoDBAdmin({ tableName: TRACED_TABLE });
    const inMemory = (await load<typeof Memory>('memory')).memoryStore();
    const handler = processorOf(core, inMemory, async () => undefined);
    return {
      'a record, memory store': await filesOfRecord(core, inMemory),
      'a record, DynamoDB': await filesOfRecord(core, inDynamoDB),
      'a settlement, memory store': await filesOfSettlement(core, inMemory),
      'a settlement, DynamoDB': await filesOfSettlement(core, inDynamoDB),
      'a release, DynamoDB': await filesOfRelease(core, inDynamoDB, admin, operations),
      '`claims release`, DynamoDB': await filesOfCommand(
        core,
        inDynamoDB,
        admin,
        operations,
        await load('cli'),
      ),
      'a message, worker and memory store': await filesOfMessage(await load('worker'), handler),
    };
  } finally {
    source.delete();
  }
}

type Store = Parameters<typeof processorOf>[1];

async function filesOfRecord(core: typeof Core, store: Store): Promise<string[]> {
  const processor = processorOf(core, store, async () => undefined);
  await runBatch(processor, batchOf(1));
  return filesEntered(() => runBatch(processor, batchOf(1)));
}

/** Where a batch goes on when all of its records have their outcomes. */
const AFTER_SETTLEMENTS = 'batch/hand-back.ts';

/**
 * From the end of a handler until its record has its outcome and the next may have its turn. The answer of the batch, which comes
 * once for all of its records, does not count.
 */
async function filesOfSettlement(core: typeof Core, store: Store): Promise<string[]> {
  let atEnd: () => void = () => undefined;
  const processor = processorOf(core, store, async () => atEnd());
  await runBatch(processor, batchOf(1));
  const files = await filesEntered((restart) => {
    atEnd = restart;
    return runBatch(processor, batchOf(1));
  });
  const end = files.indexOf(AFTER_SETTLEMENTS);
  if (end < 0) throw new Error(`A batch should go on in ${AFTER_SETTLEMENTS}`);
  return files.slice(0, end);
}

const WHY = { operator: 'lab', reason: 'counted' };

/** Fails two records, and returns their claims. */
async function failTwo(
  core: typeof Core,
  store: Store,
  admin: Admin,
  { listClaims }: typeof Operations,
): Promise<[Claim, Claim]> {
  const failing = processorOf(core, store, async () => {
    throw new Error('Fails, so that its claim can be released');
  });
  const { claims: before } = await listClaims(admin, { state: 'failed' });
  await runBatch(failing, batchOf(2));
  const seen = new Set(before.map(({ key }) => key));
  const { claims } = await listClaims(admin, { state: 'failed' });
  const [first, second] = claims.filter(({ key }) => !seen.has(key));
  if (first === undefined || second === undefined) throw new Error('Two claims should have failed');
  return [first, second];
}

type Admin = Parameters<typeof Operations.listClaims>[0];
type Claim = Operations.Claim;

async function filesOfRelease(
  core: typeof Core,
  store: Store,
  admin: Admin,
  operations: typeof Operations,
): Promise<string[]> {
  const [first, second] = await failTwo(core, store, admin, operations);
  await operations.releaseClaim(admin, first, WHY);
  return filesEntered(() => operations.releaseClaim(admin, second, WHY));
}

async function filesOfCommand(
  core: typeof Core,
  store: Store,
  admin: Admin,
  operations: typeof Operations,
  { runCli }: typeof Cli,
): Promise<string[]> {
  const [first, second] = await failTwo(core, store, admin, operations);
  const written: string[] = [];
  const output = { write: (text: string) => void written.push(text) };
  const release = async ({ key }: Claim): Promise<void> => {
    const status = await runCli(
      ['claims', 'release', key, '--table', TRACED_TABLE, '--reason', 'counted', '--yes'],
      {
        stdin: Readable.from([]),
        stdout: output,
        stderr: output,
        env: process.env,
        now: () => Date.now(),
        signal: new AbortController().signal,
        sleep: async () => undefined,
        endSoon: () => undefined,
        operator: () => WHY.operator,
      },
    );
    if (status !== 0) throw new Error(written.join(''));
  };
  await release(first);
  return filesEntered(() => release(second));
}

/** From a received message to its deletion. */
async function filesOfMessage({ createWorker }: typeof Worker, handler: BatchProcessor): Promise<string[]> {
  const client = new OneMessageQueue();
  const worker = createWorker({ queueUrl: OneMessageQueue.url, handler, client, waitTimeSeconds: 1 });
  await worker.start();
  await client.put();
  const files = await filesEntered(() => client.put());
  await worker.stop();
  return files;
}
