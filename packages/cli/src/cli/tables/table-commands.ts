import { type Command, Option } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { consentOptions } from '../arguments/shared-options.ts';
import { integerBetween } from '../arguments/values.ts';
import type { AddSubcommand } from '../subcommand.ts';

/** Adds `batchlatch table …`. */
export function addTableCommands(program: Command, addLeaf: AddSubcommand): void {
  const table = program
    .command('table')
    .summary('make and check claims tables')
    .description('Make and check claims tables.');
  addLeaf(table, {
    name: 'create',
    summary: 'create a claims table, or add what one lacks',
    description:
      'Waits until the table can be used. Run again, it adds what is missing: TTL, the ' +
      'index of overdue claims, deletion protection, point-in-time recovery. Where ' +
      'functions are deployed by a template, the table belongs there instead.',
    examples: [
      'table create --table claims',
      'table create --table claims --no-overdue-index --yes',
      'table create --table claims --endpoint-url http://127.0.0.1:8000 --yes',
      'table create --postgres --yes',
      'table create --postgres --print > migrations/0001_claims.sql',
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
      withOptions(command, 'table', 'connection', 'format', 'postgres');
      command.addOption(
        new Option('--print', 'print the SQL statements, and do nothing').helpGroup(
          'Claims that are not in DynamoDB:',
        ),
      );
    },
    load: async () => (await import('./create-table.ts')).createCommand,
  });
  addLeaf(table, {
    name: 'check',
    summary: "check a claims table's key, TTL, index, recovery and protection, or its columns and rights",
    description: 'The exit status is 1 if there is an error. `doctor` checks functions and queues too.',
    examples: ['table check --table claims', 'table check --table claims --json', 'table check --postgres'],
    define: (command) => {
      withOptions(command, 'table', 'connection', 'postgres');
    },
    load: async () => (await import('./check-table.ts')).checkCommand,
  });
  addLeaf(table, {
    name: 'clean',
    summary: 'delete the claims of a PostgreSQL table that are past their retention',
    description:
      'Deletes in transactions of 1,000 rows, and skips rows that are locked. Run it every hour, or call ' +
      '`deleteForgottenClaims` instead. DynamoDB and Redis delete such claims by themselves.',
    examples: ['table clean --postgres', 'table clean --postgres --table claims --limit 50000 --json'],
    define: (command) => {
      command
        .optionsGroup('Table:')
        .option('--limit <n>', 'the most rows to delete', integerBetween(1, 1_000_000_000), 1_000_000);
      withOptions(command, 'table', 'postgres');
    },
    load: async () => (await import('./postgres-table.ts')).cleanPostgresTable,
  });
}
