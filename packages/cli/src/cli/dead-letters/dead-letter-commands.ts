import { type Command, Option } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { keyOptions } from '../arguments/key-options.ts';
import { changeOptions, watchOption } from '../arguments/shared-options.ts';
import { httpUrl, integerBetween } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';

/** Adds `batchlatch dlq …`. */
export function addDeadLetterCommands(program: Command, addLeaf: AddSubcommand): void {
  const dlq = program
    .command('dlq')
    .summary('see and redrive dead letters')
    .description('See and redrive the messages of a dead-letter queue.');
  addLeaf(dlq, {
    name: 'list',
    summary: 'list messages with their errors and claims',
    description:
      'Messages are received, which hides them from others until the ' +
      'last is read, and are then shown again at once.',
    examples: [
      'dlq list --queue orders-dead-letters --table claims',
      'dlq list --queue-url https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dead-letters --json',
    ],
    define: (command) => {
      filtering(command).option('--limit <n>', 'the most messages to read', integerBetween(1, 10_000), 10);
      command.addOption(watchOption());
      onQueue(command);
    },
    load: async () => (await import('./list-dead-letters.ts')).listCommand,
  });
  addLeaf(dlq, {
    name: 'show <id...>',
    summary: 'show messages with all that is known of them',
    description: 'The body is shown with --show-body alone: it may hold personal data.',
    examples: ['dlq show 7f3c0d0e-5c1e-4f57-9d5c-0a1b2c3d4e5f --queue orders-dead-letters --table claims'],
    define: (command) => {
      command
        .optionsGroup('Which messages:')
        .option('--limit <n>', 'the most messages to look through', integerBetween(1, 10_000), 1_000)
        .option('--show-body', 'show the body and the attributes too');
      onQueue(command);
    },
    load: async () => (await import('./show-dead-letters.ts')).showCommand,
  });
  addLeaf(dlq, {
    name: 'redrive [id...]',
    summary: 'send messages back to where they came from',
    description:
      'The claims that would drop the messages are released first, if --table ' +
      'names where they are: those that are parked, overdue or failed. A message ' +
      'whose claim is completed or in progress stays where it is.',
    examples: [
      'dlq redrive --queue orders-dead-letters --table claims --reason "fixed in 1.4"',
      'dlq redrive --error-name PaymentDeclined --queue ' +
        'orders-dead-letters --table claims --reason "bank is back" --yes',
      'dlq redrive 7f3c0d0e-5c1e-4f57-9d5c-0a1b2c3d4e5f --queue ' +
        'orders-dead-letters --table claims --reason "fixed by hand" --dry-run',
    ],
    define: (command) => {
      filtering(command).option('--all', 'all messages; the default');
      command
        .optionsGroup('Redrive:')
        .option('--to <url>', 'URL of the queue they go to (default: where each came from)', httpUrl)
        .addOption(
          new Option('--completed <what>', 'what becomes of messages whose work is done')
            .choices(['skip', 'move', 'delete'])
            .default('skip'),
        );
      changeOptions(command, 'claims that it releases');
      onQueue(command);
    },
    load: async () => (await import('./redrive-command.ts')).redriveCommand,
  });
}

function filtering(command: Command): Command {
  return command
    .optionsGroup('Which messages:')
    .option('--error-name <name>', 'messages that failed with an error of this name')
    .option('--error-code <code>', 'messages that failed with an error of this code');
}

function onQueue(command: Command): void {
  command
    .optionsGroup('Queue:')
    .option('--queue-url <url>', 'URL of the dead-letter queue', httpUrl)
    .option('--queue <name>', 'name of the dead-letter queue')
    .option(
      '--use-receives',
      'also read a queue that has its own redrive policy; each read counts as a receive',
    );
  keyOptions(command, 'Keys:', 'to find claims in every state, not only parked ones');
  withOptions(command, 'table', 'connection', 'format', 'postgres', 'redis', 'prefix');
}
