import { type Command } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { httpUrl, integerBetween, textUpTo } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';

/** `batchlatch send` */
export function addSendCommand(program: Command, addLeaf: AddSubcommand): void {
  addLeaf(program, {
    name: 'send <file>',
    summary: 'send the lines of a file to a queue or a bus',
    description:
      'Each line is JSON and becomes a message as it is; a JSON string becomes the text in it. With --bus, ' +
      'each is an event with source, detail-type and detail, or the detail alone. - reads standard input. ' +
      'Lines that cannot be sent are listed by number, and the others are sent.',
    examples: [
      'send orders.jsonl --queue orders',
      'send orders.jsonl --queue orders.fifo --group-key customerId --dedup-key orderId',
      'send - --queue-url http://127.0.0.1:9324/000000000000/orders --rate 100',
      'send orders.jsonl --bus default --source shop.orders --detail-type OrderPlaced',
    ],
    define: (command) => {
      defineQueue(command);
      defineMessages(command);
      defineEvents(command);
      command
        .optionsGroup('Sending:')
        .option(
          '--concurrency <n>',
          'requests at a time, of ten messages or events each',
          integerBetween(1, 50),
          8,
        )
        .option('--rate <n>', 'messages or events in a second, at most', integerBetween(1, 1_000_000))
        .option('--dry-run', 'look at every line, and send nothing');
      withOptions(command, 'connection');
    },
    load: async () => (await import('./send-command.ts')).sendCommand,
  });
}

function defineQueue(command: Command): void {
  command
    .optionsGroup('Queue:')
    .option('--queue <name>', 'name or URL of the queue, or its logical id in what `batchlatch dev` runs')
    .option('--queue-url <url>', 'URL of the queue', httpUrl)
    .option('-t, --template <file>', 'template that has this logical id');
}

function defineEvents(command: Command): void {
  command
    .optionsGroup('Events, in place of messages:')
    .option('--bus <name>', 'name or ARN of a bus of EventBridge, such as default', textUpTo(1_600))
    .option('--source <text>', 'source of the events, if lines are details', textUpTo(256))
    .option('--detail-type <text>', 'detail-type of the events, if lines are details', textUpTo(128));
}

function defineMessages(command: Command): void {
  command
    .optionsGroup('Messages:')
    .option('--text', 'lines are plain texts, not JSON')
    .option('--group-id <id>', 'message group of all', textUpTo(128))
    .option('--group-key <path>', 'field of the body that is the message group, such as customer.id')
    .option('--dedup-id <id>', 'deduplication id of all, for a FIFO queue', textUpTo(128))
    .option(
      '--dedup-key <path>',
      'field of the body that is the deduplication id (default for a FIFO queue: a hash of the body)',
    )
    .option('--delay <seconds>', 'before they can be received', integerBetween(0, 900));
}
