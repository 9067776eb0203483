import { type Command, Option } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { consentOptions } from '../arguments/shared-options.ts';
import { integerBetween } from '../arguments/values.ts';
import type { AddLeaf } from '../leaf.ts';

/** `batchlatch table …` */
export function addTableCommands(program: Command, addLeaf: AddLeaf): void {
  const table = program
    .command('table')
    .summary('make and check claims tables')
    .description('Make and check claims tables.');
  addLeaf(table, {
    name: 'create',
    summary: 'create a claims table, or add what one lacks',
    description:
      'Waits until the table can be used. Run again, it does what is still to be done: TTL, the index of overdue claims, deletion protection, point-in-time recovery. Where functions are deployed by a template, the table belongs there instead.',
    examples: [
      'table create --table claims',
      'table create --table claims --no-overdue-index --yes',
      'table create --table claims --endpoint-url http://127.0.0.1:8000 --yes',
    ],
    define: (command) => {
      command
        .optionsGroup('Table:')
        .option('--no-overdue-index', 'without the index by which claims are listed without a scan')
        .option('--no-deletion-protection', 'so that one call can delete it')
        .option('--no-recovery', 'without point-in-time recovery, which has a price per GB')
        .addOption(
          new Option('--billing <mode>', 'how capacity is paid for')
            .choices(['on-demand', 'provisioned'])
            .default('on-demand'),
        )
        .option('--read-units <n>', 'read capacity, if provisioned', integerBetween(1, 1_000_000), 5)
        .option('--write-units <n>', 'write capacity, if provisioned', integerBetween(1, 1_000_000), 5);
      for (const option of consentOptions()) command.addOption(option);
      withOptions(command, 'table', 'connection', 'format');
    },
    load: async () => (await import('./create-table.ts')).createCommand,
  });
  addLeaf(table, {
    name: 'check',
    summary: "check a claims table's key, TTL, index, recovery and protection",
    description: 'The exit status is 1 if there is an error. `doctor` checks functions and queues too.',
    examples: ['table check --table claims', 'table check --table claims --json'],
    define: (command) => {
      withOptions(command, 'table', 'connection');
    },
    load: async () => (await import('./check-table.ts')).checkCommand,
  });
}
