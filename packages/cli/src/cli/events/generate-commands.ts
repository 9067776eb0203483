import { type Command, InvalidArgumentError } from 'commander';
import { integerBetween, textUpTo } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';

/** Adds `batchlatch generate-event …`. */
export function addGenerateEventCommands(program: Command, addLeaf: AddSubcommand): void {
  const generate = program
    .command('generate-event')
    .summary('make events as Lambda delivers them')
    .description('Make events as Lambda delivers them, of bodies in a file. They are printed as JSON.');
  addLeaf(generate, {
    name: 'sqs',
    summary: 'make a batch of SQS messages',
    description: BODIES,
    examples: [
      'generate-event sqs --bodies orders.jsonl > event.json',
      'generate-event sqs --bodies orders.jsonl --fifo --group-key ' +
        'customerId | batchlatch invoke OrdersFunction -e -',
      `generate-event sqs --body '{"orderId":"o-1"}' --queue-name orders`,
    ],
    define: (command) => {
      withBodies(command)
        .optionsGroup('Messages:')
        .option('--queue-name <name>', 'name of the queue (default: orders)', textUpTo(80))
        .option('--fifo', 'of a FIFO queue')
        .option('--group-id <id>', 'message group of all (default with --fifo: 1)', textUpTo(128))
        .option('--group-key <path>', 'field of the body that is the message group')
        .option('--receive-count <n>', 'how often they were received', integerBetween(1, 1_000), 1);
      withPlace(command);
    },
    load: async () => (await import('./generate-event.ts')).generateSqs,
  });
  addLeaf(generate, {
    name: 'eventbridge',
    summary: 'make an event of EventBridge',
    description:
      'Each line is the detail of an event. EventBridge delivers one event ' +
      'to an invocation; with --in-sqs there may be several.',
    examples: [
      `generate-event eventbridge --body '{"orderId":"o-1"}' --source shop.orders --detail-type OrderPlaced`,
      'generate-event eventbridge --bodies orders.jsonl --in-sqs',
    ],
    define: (command) => {
      withBodies(command)
        .optionsGroup('Events:')
        .option('--source <text>', 'source of the events', textUpTo(256), 'shop.orders')
        .option('--detail-type <text>', 'detail-type of the events', textUpTo(128), 'OrderPlaced');
      withQueue(command);
      withPlace(command);
    },
    load: async () => (await import('./generate-event.ts')).generateEventBridge,
  });
  addLeaf(generate, {
    name: 'sns',
    summary: 'make a notification of SNS',
    description: `${BODIES} SNS delivers one notification per invocation; --in-sqs allows several.`,
    examples: [
      `generate-event sns --body '{"orderId":"o-1"}' --topic-name orders`,
      'generate-event sns --bodies orders.jsonl --in-sqs',
    ],
    define: (command) => {
      withBodies(command)
        .optionsGroup('Notifications:')
        .option('--topic-name <name>', 'name of the topic', textUpTo(256), 'orders');
      withQueue(command);
      withPlace(command);
    },
    load: async () => (await import('./generate-event.ts')).generateSns,
  });
  addLeaf(generate, {
    name: 'kinesis',
    summary: 'make a batch of a Kinesis stream',
    description: BODIES,
    examples: ['generate-event kinesis --bodies views.jsonl --stream-name views --partition-path userId'],
    define: (command) => {
      withBodies(command)
        .optionsGroup('Records:')
        .option('--stream-name <name>', 'name of the stream', textUpTo(128), 'orders')
        .option('--partition-key <key>', 'partition key of all (default: 1)', textUpTo(256))
        .option('--partition-path <path>', 'field of the body that is the partition key');
      withPlace(command);
    },
    load: async () => (await import('./generate-event.ts')).generateKinesis,
  });
  addLeaf(generate, {
    name: 'dynamodb',
    summary: "make a batch of a table's stream",
    description:
      'With --key, which names the key attributes, each line is an item that was put. ' +
      'Without --key, each line is a change: {"keys": {…}, "newImage": {…}, ' +
      '"oldImage": {…}}; the images are optional. Values are plain JSON.',
    examples: [
      'generate-event dynamodb --bodies orders.jsonl --key orderId --table-name orders',
      'generate-event dynamodb --bodies changes.jsonl',
    ],
    define: (command) => {
      withBodies(command)
        .optionsGroup('Records:')
        .option('--table-name <name>', 'name of the table', textUpTo(255), 'orders')
        .option('--key <names>', 'names of the key attributes, with commas');
      withPlace(command);
    },
    load: async () => (await import('./generate-event.ts')).generateDynamoDB,
  });
}

const BODIES = 'Each line is JSON and becomes a body as it is; a JSON string becomes the text in it.';

function withBodies(command: Command): Command {
  return command
    .optionsGroup('Bodies:')
    .option('--bodies <file>', 'file of bodies, one in each line; - reads standard input')
    .option('--body <text>', 'a body; may be given several times', allOf)
    .option('--text', 'lines are plain texts, not JSON');
}

function withQueue(command: Command): void {
  command
    .optionsGroup('Through a queue:')
    .option('--in-sqs', 'inside messages of an SQS queue')
    .option('--queue-name <name>', 'name of the queue (default: orders)', textUpTo(80));
}

function withPlace(command: Command): void {
  command
    .optionsGroup('Where they come from:')
    .option('--region <region>', 'AWS region (default: us-east-1)', regionName)
    .option('--account-id <id>', 'AWS account (default: 123456789012)', accountId)
    .option('--partition <name>', 'AWS partition (default: aws)', textUpTo(32));
}

function regionName(text: string): string {
  if (/^[a-z0-9-]{1,32}$/.test(text)) return text;
  throw new InvalidArgumentError('Give a region such as eu-west-1.');
}

function accountId(text: string): string {
  if (/^\d{12}$/.test(text)) return text;
  throw new InvalidArgumentError('Give twelve digits.');
}

function allOf(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
