/**
 * The console's server on claims in memory, for tests and for developing its pages:
 *
 *     node --import tsx test/support/console-server.ts [--port 4400] [--read-only] [--live] [--index]
 */
import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQS } from '@aws-sdk/client-sqs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type RunningConsole, startConsole } from '../../packages/cli/src/console/start-console.ts';
import type { ConsoleOptions } from '../../packages/cli/src/console/options.ts';
import type { QueueJson } from '../../packages/cli/src/console/api.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { replaced } from './replaced.ts';
import { memoryStore, type MemoryStore } from 'batchlatch/memory';
import { fillWithClaims, makeClaim, recordIdOf, type SetBackClock, setBackClock } from './console-claims.ts';

/** The folder of the built pages, of `npm run build`. */
const APP_FOLDER: string = fileURLToPath(new URL('../../packages/cli/dist/console-app', import.meta.url));

/** A console with the store behind it. */
export interface ConsoleOfTest extends RunningConsole {
  readonly store: MemoryStore;
  readonly clock: SetBackClock;
}

/** How a console is started on claims in memory. */
export interface MemoryConsoleOptions extends Partial<ConsoleOptions> {
  /** Fills the store before; default some hundred claims in all states. */
  readonly fill?: (store: MemoryStore, clock: SetBackClock) => Promise<void>;
  /** The store says that it has read an index. Default false. */
  readonly hasIndex?: boolean;
}

/** Starts a console on claims in memory, which may be changed. */
export async function startMemoryConsole({
  fill = fillWithClaims,
  hasIndex = false,
  ...options
}: MemoryConsoleOptions = {}): Promise<ConsoleOfTest> {
  const clock = setBackClock();
  const memory = memoryStore({ clock });
  const store = hasIndex ? indexed(memory) : memory;
  await fill(store, clock);
  const running = await startConsole({
    store,
    place: 'table claims',
    operator: 'ann@laptop',
    appFolder: APP_FOLDER,
    version: '0.0.0-test',
    allowChanges: true,
    ...options,
  });
  return { ...running, store, clock };
}

const BY_INDEX = new Set<string | undefined>(['in-progress', 'overdue', 'parked']);

/** A store that says of the states that DynamoDB's index has that it has read one. */
export function indexed(store: MemoryStore): MemoryStore {
  return replaced(store, {
    async list(query, options) {
      const page = await store.list({ ...query }, options);
      return BY_INDEX.has(query.state) ? { ...page, readBy: 'index', rowsRead: page.claims.length } : page;
    },
    async count(query, options) {
      const count = await store.count(query, options);
      return BY_INDEX.has(query.state) ? { ...count, readBy: 'index', rowsRead: count.count } : count;
    },
  });
}

/** A queue with a dead-letter queue, on an SQS of its own. */
export interface QueuesOfTest {
  readonly sqs: SQS;
  /** A client that its user destroys. */
  client(): SQS;
  /** `orders` and `orders-dead-letters`. */
  readonly queues: readonly QueueJson[];
  /** Sends the messages of these claims to the dead-letter queue, as `deadLetterQueue()` does. */
  sendParked(keys: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startQueues(): Promise<QueuesOfTest> {
  const service = await startSqsEmulator();
  const client = (): SQS => withoutWaiting(new SQS({ ...emulatorClientConfig, endpoint: service.endpoint }));
  const sqs = client();
  const dead = await createQueue(sqs, 'orders-dead-letters');
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 3 });
  const orders = await createQueue(sqs, 'orders', { RedrivePolicy });
  return {
    sqs,
    client,
    queues: [
      { name: 'orders', url: orders.url, isDeadLetter: false },
      { name: 'orders-dead-letters', url: dead.url, isDeadLetter: true },
    ],
    async sendParked(keys) {
      for (const [index, key] of keys.entries()) {
        await sqs.send(
          new SendMessageCommand({
            QueueUrl: dead.url,
            MessageBody: JSON.stringify({ order: key, total: `${index}<script>` }),
            MessageAttributes: attributesOf(key, orders.arn),
          }),
        );
      }
    },
    async stop() {
      sqs.destroy();
      await service.stop();
    },
  };
}

/** One process has all messages at hand: an empty answer comes at once. */
function withoutWaiting(sqs: SQS): SQS {
  sqs.middlewareStack.add(
    (next) => (given) => {
      if ('WaitTimeSeconds' in given.input) given.input.WaitTimeSeconds = 0;
      return next(given);
    },
    { step: 'initialize' },
  );
  return sqs;
}

async function createQueue(
  sqs: SQS,
  QueueName: string,
  Attributes: Record<string, string> = {},
): Promise<{ readonly url: string; readonly arn: string }> {
  const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  const found = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: found.Attributes?.QueueArn ?? '' };
}

function attributesOf(
  key: string,
  source: string,
): Record<string, { DataType: string; StringValue: string }> {
  const attributes = {
    RecordId: recordIdOf(key),
    IdempotencyKey: key,
    Source: source,
    ErrorName: 'CardDeclined',
    ErrorMessage: 'The card was declined.',
    ErrorCode: 'card_declined',
  };
  return Object.fromEntries(
    Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  );
}

async function main(args: readonly string[]): Promise<void> {
  const queues = await startQueues();
  await queues.sendParked(
    Array.from({ length: 12 }, (_, index) => `orders#parked-${String(index).padStart(4, '0')}`),
  );
  const port = Number(args[args.indexOf('--port') + 1] ?? 0) || 0;
  const running = await startMemoryConsole({
    port,
    allowChanges: !args.includes('--read-only'),
    hasIndex: args.includes('--index'),
    sqs: queues.sqs,
    queues: queues.queues,
    region: 'eu-west-1',
    ...(!args.includes('--index') && { readEveryMs: 2_000 }),
  });
  process.stdout.write(`${running.url}\n`);
  if (args.includes('--live')) setInterval(() => void work(running), 700);
  const stop = async (): Promise<void> => {
    await running.stop();
    await queues.stop();
    process.exit(0);
  };
  process.on('SIGINT', () => void stop());
  process.on('SIGTERM', () => void stop());
}

const HOW = ['completed', 'completed', 'completed', 'completed', 'failed', 'parked'] as const;

async function work({ store, clock }: ConsoleOfTest): Promise<void> {
  const seed = Math.floor(Math.random() * 1_000);
  const how = HOW[seed % HOW.length] ?? 'completed';
  await makeClaim(store, clock, `orders#${randomUUID()}`, how, { ageMs: 1_500, seed });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
