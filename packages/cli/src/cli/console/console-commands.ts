import { type Command, InvalidArgumentError } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { keyOptions } from '../arguments/key-options.ts';
import { integerBetween, textUpTo } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';

/** Adds `batchlatch console`. */
export function addConsoleCommand(program: Command, addLeaf: AddSubcommand): void {
  addLeaf(program, {
    name: 'console',
    summary: 'see and fix claims and dead letters in a browser',
    description:
      'Serves pages on this machine, until Ctrl-C: counts, plots and lists of claims, one claim with ' +
      'its past, and the messages of dead-letter queues beside their claims, live. It prints the ' +
      'address, with a token that lets your browser in. It only reads unless --allow-changes is ' +
      'given, and reads every row of a table only when you ask for it there.',
    examples: [
      'console --table claims --queue orders',
      'console --table claims --dlq orders-dead-letters --allow-changes',
      'console --postgres --port 4400 --open',
      'console --table claims --outbox orders-outbox',
      'console --demo',
    ],
    isEndedBySignals: true,
    define: (command) => {
      command
        .optionsGroup('Queues:')
        .option('--queue <queue...>', 'names or URLs of queues; their dead-letter queues are shown too')
        .option('--dlq <queue...>', 'names or URLs of further dead-letter queues')
        .option(
          '--use-receives',
          'also read dead-letter queues that have their own redrive policy; each read counts as a receive',
        )
        .optionsGroup('Outbox:')
        .option(
          '--outbox [table]',
          'show an outbox too, where the claims are or else in DynamoDB ' +
            '(default: OUTBOX_TABLE_NAME, in PostgreSQL batchlatch_outbox)',
        )
        .option('--outbox-postgres [url]', 'the outbox is in PostgreSQL, and the claims are elsewhere')
        .optionsGroup('Changes:')
        .option('--allow-changes', 'let the pages change claims and rows, and redrive messages')
        .option('--operator <name>', 'who does it; kept on the claims (default: user@host)', textUpTo(128))
        .optionsGroup('Pages:')
        .option('--port <n>', 'port to listen on (default: a free one)', integerBetween(0, 65_535))
        .option('--host <address>', 'address to listen on (default: 127.0.0.1, this machine alone)')
        .option('--open', 'open a browser')
        .option(
          '--read-every <seconds>',
          'interval for reading every row while a page is open, or ' +
            '`none` (default: 2 if DynamoDB is on this machine)',
          secondsOrNone,
        )
        .option('--log-region <region>', "region of the functions' log in CloudWatch (default: the table's)")
        .option(
          '--log-group <name>',
          'log group, for the times of single attempts (default: the one of each function)',
        );
      keyOptions(command, 'Keys:', 'to find the claims of messages in every state');
      defineDemo(command);
      withOptions(command, 'table', 'connection', 'format', 'postgres', 'redis', 'prefix');
    },
    load: async () => (await import('./console-command.ts')).consoleCommand,
  });
}

function defineDemo(command: Command): void {
  command
    .optionsGroup('Demo:')
    .option(
      '--demo',
      'show generated work on emulators of this machine instead of a table, to try every button on',
    )
    .option('--seed <n>', 'seed of the generated work (default: 1)', integerBetween(0, 1_000_000))
    .option('--rate <n>', 'pieces of work per second (default: 3)', integerBetween(1, 50));
}

function secondsOrNone(text: string): number | 'none' {
  if (text === 'none') return text;
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('Give a number of seconds from 1 to 86,400, or none.');
}
