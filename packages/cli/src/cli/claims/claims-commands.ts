import { type Command, Option } from 'commander';
import { withOptions } from '../arguments/common-options.ts';
import { keyOptions } from '../arguments/key-options.ts';
import { changeOptions, consentOptions, watchOption } from '../arguments/shared-options.ts';
import { integerBetween, jsonText } from '../arguments/values.ts';
import type { OperationKind } from 'batchlatch/operations';
import type { AddSubcommand, Subcommand } from '../subcommand.ts';
import type { ChangeOptions } from './change-claims.ts';
import { narrowing } from './narrow-selection.ts';
import { PARKED_KINDS, STATES } from './state-selection.ts';

/** `batchlatch claims …` */
export function addClaimsCommands(program: Command, addLeaf: AddSubcommand): void {
  const claims = program
    .command('claims')
    .summary('see and change claims')
    .description('See and change claims.');
  addLeaf(claims, {
    name: 'list',
    summary: 'list claims, by state or prefix',
    description:
      'Uses the index of overdue claims where the table has one and the state is overdue, in-progress or ' +
      'parked; otherwise it reads every row of the table, and says how many, and which index is missing.',
    examples: [
      'claims list --table claims --state parked',
      'claims list --table claims --parked lapsed',
      'claims list --table claims --prefix orders# --all --json',
      'claims list --table claims --type OrderPlaced',
      'claims list --table claims --error-name CardDeclined',
      'claims list --table claims --state completed --past ran-twice',
      'claims list --table claims --state overdue --watch 10',
      'claims list --postgres --state parked',
      'claims list --redis --prefix orders#',
    ],
    define: (command) => {
      narrowing(selecting(command))
        .option('--limit <n>', 'the most claims to print', integerBetween(1, 100_000), 100)
        .option('--cursor <next>', 'go on where the list before ended')
        .option('--all', 'print all claims; overrides --limit');
      command.addOption(watchOption());
      onTable(command);
    },
    load: async () => (await import('./list-claims.ts')).listCommand,
  });
  addLeaf(claims, {
    name: 'show [key...]',
    summary: 'show claims with their history',
    description: 'The result that is stored is shown with --show-result alone: it may hold personal data.',
    examples: [
      "claims show 'orders#v1:o-1042' --table claims",
      'claims show --hash 1f0c6a7b2d3e4f50 --table claims',
      'claims show --record-id 7f3c0d0e-… --table claims --json',
      "claims show 'orders#v1:o-1042' --table claims --log",
      'claims show --payload order.json --namespace orders --key-hash orderId --table claims',
      'claims show --search o-1042 --table claims --queue orders',
    ],
    define: (command) => {
      identifying(command);
      command
        .option('--payload <file>', 'the claim of the message with this body; - reads standard input')
        .option('--search <text>', 'claims by a part of the key such as an order id, a record or request id')
        .option('--show-result', 'show the stored result too')
        .option('--queue <name>', 'name or URL of the source queue, to tell when SQS delivers the message');
      keyOptions(command, 'Keys, for --payload:', 'which begins its keys');
      logOptions(command);
      onTable(command);
    },
    load: async () => (await import('./show-claims.ts')).showCommand,
  });
  for (const leaf of CHANGES) addLeaf(claims, leaf);
  addLeaf(claims, {
    name: 'stats',
    summary: 'count claims by state, with their times',
    description: 'Reads every row of the table.',
    examples: [
      'claims stats --table claims',
      'claims stats --table claims --by hour',
      'claims stats --table claims --by error',
    ],
    define: (command) => {
      command
        .optionsGroup('Which claims:')
        .option('--prefix <prefix>', 'claims whose key begins with this, such as orders#')
        .option('--limit <n>', 'the most claims to read', integerBetween(1, 1_000_000_000), 100_000);
      command.addOption(
        new Option('--by <what>', 'also by when claims ended; or only failures, by error').choices([
          'minute',
          'hour',
          'day',
          'error',
        ]),
      );
      command.addOption(watchOption());
      onTable(command);
    },
    load: async () => (await import('./claim-statistics.ts')).statsCommand,
  });
  addLeaf(claims, {
    name: 'copy',
    summary: 'copy claims from one store to another',
    description:
      'Claims are copied unchanged, with their owners, times, results and history. A key that has a row in ' +
      'the other store is skipped, unless that row is an earlier state of the claim: run it again to copy ' +
      'later changes. Stop the consumers first: what they complete afterwards would run again.',
    examples: [
      'claims copy --from dynamodb --from-table claims --to postgres',
      'claims copy --from redis --to postgres --to-table shop.claims --dry-run',
      'claims copy --from postgres --to redis --to-prefix shop: --yes',
    ],
    define: (command) => {
      for (const side of ['from', 'to'] as const) {
        for (const option of sideOptions(side)) command.addOption(option);
      }
      command
        .optionsGroup('Which claims:')
        .option('--prefix <prefix>', 'claims whose key begins with this, such as orders#')
        .option('--cursor <next>', 'go on where the copy before ended')
        .option(
          '--leave-out-long-results',
          'copy a claim without its result where that is too long for the other store',
        );
      for (const option of consentOptions()) command.addOption(option);
      withOptions(command, 'connection', 'format');
    },
    load: async () => (await import('./copy-claims.ts')).copyCommand,
  });
}

function sideOptions(side: 'from' | 'to'): Option[] {
  const where = side === 'from' ? 'From:' : 'To:';
  return [
    new Option(
      `--${side} <store>`,
      'dynamodb, postgres or redis, or the URL of one of the latter (required)',
    ),
    new Option(
      `--${side}-table <name>`,
      'table of DynamoDB (default: CLAIMS_TABLE_NAME) or of PostgreSQL (default: batchlatch_claims)',
    ),
    new Option(`--${side}-prefix <prefix>`, 'of Redis: `prefix` of the functions, if they have one'),
    new Option(`--${side}-slots <n>`, 'of Redis: `slots` of the functions, if they have them').argParser(
      integerBetween(1, 1_024),
    ),
    new Option(`--${side}-cluster`, 'that Redis is a cluster'),
  ].map((option) => option.helpGroup(where));
}

const CHANGES: readonly Subcommand<ChangeOptions>[] = [
  changing('release', {
    summary: 'let keys run again, their attempts counted from 0',
    description:
      'The next delivery of a record with this key runs it. Redrive ' +
      'the dead-letter queue if the record is there.',
    examples: [
      'claims release \'orders#v1:o-1042\' --table claims --reason "fixed in 1.4"',
      'claims release --parked failed --prefix orders# --table claims --reason "bank is back" --yes',
    ],
  }),
  changing('resolve', {
    summary: 'count keys as done without running them',
    description: 'Further deliveries are dropped as duplicates, and get the result if there is one.',
    examples: [
      'claims resolve \'orders#v1:o-1042\' --table claims --reason "charged by hand"',
      "claims resolve 'orders#v1:o-1042' --table claims --reason " +
        '"charged by hand" --result \'{"chargeId":"ch_1"}\'',
    ],
    define: (command) => {
      command.addOption(
        new Option('--result <json>', 'the result that duplicates get')
          .argParser(jsonText)
          .helpGroup('Change:'),
      );
    },
  }),
  changing('park', {
    summary: 'let keys not run until they are released',
    examples: ['claims park \'orders#v1:o-1042\' --table claims --reason "asked the customer"'],
  }),
  changing('forget', {
    summary: 'delete claims, as if their keys had never been claimed',
    description: 'The next delivery of a completed key runs again. The history is deleted with the row.',
    examples: ['claims forget \'orders#v1:o-1042\' --table claims --reason "test order"'],
  }),
];

function changing(
  operation: OperationKind,
  leaf: Pick<Subcommand<ChangeOptions>, 'summary' | 'examples' | 'description'> & {
    define?(command: Command): void;
  },
): Subcommand<ChangeOptions> {
  return {
    ...leaf,
    name: `${operation} [key...]`,
    define: (command) => {
      identifying(command);
      selecting(command).option(
        '--limit <n>',
        'the most claims to change',
        integerBetween(1, 100_000),
        1_000,
      );
      leaf.define?.(command);
      command.addOption(
        new Option('--force', 'also claims that a handler may be running, and completed ones').helpGroup(
          'Change:',
        ),
      );
      changeOptions(command, 'claim');
      onTable(command);
    },
    load: async () => (await import('./change-claims.ts')).changeCommand(operation),
  };
}

function identifying(command: Command): void {
  command
    .optionsGroup('Which claims:')
    .option('--hash <hash>', 'the claim whose key has this hash, as log lines show it (reads the table)')
    .option('--record-id <id>', 'claims of the record with this id, such as a messageId (reads the table)');
}

function logOptions(command: Command): void {
  command
    .optionsGroup('Log:')
    .option(
      '--log [file]',
      'show how the latest attempt and its batch spent their time, from the log in CloudWatch or in a file',
    )
    .option('--log-group <name>', 'log group in CloudWatch (default: the one of the function)')
    .option('--log-region <region>', "region of the log (default: the table's)");
}

function selecting(command: Command): Command {
  return command
    .optionsGroup('Which claims:')
    .addOption(new Option('--state <state>', 'claims in this state').choices(STATES))
    .addOption(
      new Option(
        '--parked <kind>',
        'parked claims only: outcome unknown (lapsed), failed for good, too many attempts, or done',
      ).choices(PARKED_KINDS),
    )
    .option('--prefix <prefix>', 'claims whose key begins with this, such as orders#');
}

function onTable(command: Command): void {
  withOptions(command, 'table', 'connection', 'format', 'postgres', 'redis', 'prefix');
}
