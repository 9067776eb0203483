import { type Command, Option } from 'commander';
import type { OutboxOperation, OutboxState } from 'batchlatch/outbox';
import { withOptions } from '../arguments/common-options.ts';
import { changeOptions, watchOption } from '../arguments/shared-options.ts';
import { integerBetween } from '../arguments/values.ts';
import type { AddSubcommand, Subcommand } from '../subcommand.ts';
import type { ChangeRowsOptions } from './change-rows.ts';

const STATES = ['waiting', 'parked', 'dropped'] as const satisfies OutboxState[];

/** `batchlatch outbox …` */
export function addOutboxCommands(program: Command, addLeaf: AddSubcommand): void {
  const outbox = program
    .command('outbox')
    .summary('see and change the rows of an outbox')
    .description('See and change the rows of an outbox: messages that are not sent yet.');
  addLeaf(outbox, {
    name: 'list',
    summary: 'list rows, the parked ones first',
    description: 'Bodies are shown with --show-bodies alone: they may hold personal data.',
    examples: [
      'outbox list --table orders-outbox',
      'outbox list --table orders-outbox --state parked --type OrderPlaced',
      'outbox list --postgres --state dropped --json',
    ],
    define: (command) => {
      selecting(command, STATES)
        .option('--id <id>', 'the row with this outbox id')
        .option('--limit <n>', 'the most rows to print', integerBetween(1, 100_000), 100)
        .option('--cursor <next>', 'go on where the list before ended')
        .option('--all', 'print all rows; overrides --limit')
        .option('--show-bodies', 'show the bodies too');
      onOutbox(command);
    },
    load: async () => (await import('./list-rows.ts')).listRowsCommand,
  });
  addLeaf(outbox, {
    name: 'count',
    summary: 'count rows that wait and rows that are parked, with the age of the oldest',
    examples: ['outbox count --table orders-outbox', 'outbox count --postgres --watch 10'],
    define: (command) => {
      command.addOption(watchOption());
      onOutbox(command);
    },
    load: async () => (await import('./count-rows.ts')).countRowsCommand,
  });
  for (const leaf of CHANGES) addLeaf(outbox, leaf);
}

const CHANGES: readonly Subcommand<ChangeRowsOptions>[] = [
  changing('release', ['parked', 'dropped'], {
    summary: 'let rows be sent, their tries counted from 0',
    description: 'A dropped row that is released is sent after rows of its group that went on without it.',
    examples: [
      'outbox release --state parked --table orders-outbox --reason "the queue is back"',
      'outbox release 7f3c0d0e-5c1e-4f57-9d5c-0a1b2c3d4e5f --postgres --reason "fixed" --yes',
    ],
  }),
  changing('drop', ['parked'], {
    summary: 'do not send rows, and let their groups go on',
    description: 'A dropped row is kept for 14 days, in which it can be released.',
    examples: [
      'outbox drop 7f3c0d0e-5c1e-4f57-9d5c-0a1b2c3d4e5f --table orders-outbox --reason "sent by hand"',
    ],
  }),
];

function changing(
  operation: OutboxOperation,
  states: readonly OutboxState[],
  leaf: Pick<Subcommand<ChangeRowsOptions>, 'summary' | 'examples' | 'description'>,
): Subcommand<ChangeRowsOptions> {
  return {
    ...leaf,
    name: `${operation} [id...]`,
    define: (command) => {
      selecting(command, states).option(
        '--limit <n>',
        'the most rows to change',
        integerBetween(1, 100_000),
        1_000,
      );
      changeOptions(command, 'row');
      onOutbox(command);
    },
    load: async () => (await import('./change-rows.ts')).changeRowsCommand(operation),
  };
}

function selecting(command: Command, states: readonly OutboxState[]): Command {
  return command
    .optionsGroup('Which rows:')
    .addOption(new Option('--state <state>', 'rows in this state').choices(states))
    .option('--type <type>', 'rows with a message of this type, such as OrderPlaced');
}

function onOutbox(command: Command): void {
  const options = [
    new Option('--table <name>', "name or ARN of the outbox's table (default: OUTBOX_TABLE_NAME)"),
    new Option(
      '--postgres [url]',
      'the outbox is in PostgreSQL (default: DATABASE_URL, or PGHOST and so on), ' +
        'in --table (default: batchlatch_outbox)',
    ),
  ];
  for (const option of options) command.addOption(option.helpGroup('Connection:'));
  withOptions(command, 'connection');
}
