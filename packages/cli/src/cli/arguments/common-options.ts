import { type Command, Option } from 'commander';
import type { PostgresOptions } from '../connect/postgres.ts';
import type { RedisOptions } from '../connect/redis.ts';
import { httpUrl, integerBetween } from './values.ts';

/** The output options of every command. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly color?: boolean;
  readonly verbose?: boolean;
}

/** The options of commands that call AWS. */
export interface ConnectionOptions {
  readonly region?: string;
  readonly profile?: string;
  readonly endpointUrl?: string;
}

/** The options of commands that read or change claims. */
export interface TableOptions extends ConnectionOptions, PostgresOptions, RedisOptions {
  readonly table?: string;
  readonly index?: string;
  readonly indexShards: number;
  readonly attributes?: 'powertools';
  readonly redisPrefix?: string;
  readonly redisSlots?: number;
}

const OUTPUT = 'Output:';
const CONNECTION = 'Connection:';
const OTHER_STORES = 'Claims that are not in DynamoDB:';

const OPTIONS = {
  output: () => [
    new Option('--json', 'print JSON').helpGroup(OUTPUT),
    new Option('--no-color', 'print no colors (also: NO_COLOR)').helpGroup(OUTPUT),
    new Option('--verbose', 'print more, and the stack of errors').helpGroup(OUTPUT),
  ],
  connection: () => [
    new Option('--region <region>', 'AWS region (default: AWS_REGION, or the one of the profile)').helpGroup(
      CONNECTION,
    ),
    new Option('--profile <name>', 'profile of the AWS configuration (default: AWS_PROFILE)').helpGroup(
      CONNECTION,
    ),
    new Option('--endpoint-url <url>', 'endpoint in place of AWS, such as http://127.0.0.1:8000')
      .argParser(httpUrl)
      .helpGroup(CONNECTION),
  ],
  table: () => [
    new Option('--table <name>', 'name or ARN of the claims table (default: CLAIMS_TABLE_NAME)').helpGroup(
      CONNECTION,
    ),
  ],
  format: () => [
    new Option(
      '--index <name>',
      'index of overdue claims, or `none` (default: the one the table has)',
    ).helpGroup(CONNECTION),
    new Option('--index-shards <n>', 'shards of that index, as `overdueIndex.shards` of the functions')
      .argParser(integerBetween(1, 100))
      .default(8)
      .helpGroup(CONNECTION),
    new Option('--attributes <format>', "how the table's rows are written, if not by batchlatch's own names")
      .choices(['powertools'])
      .helpGroup(CONNECTION),
  ],
  postgres: () => [
    new Option(
      '--postgres [url]',
      'claims are in PostgreSQL (default: DATABASE_URL, or PGHOST and ' +
        'so on), in --table (default: batchlatch_claims)',
    ).helpGroup(OTHER_STORES),
  ],
  redis: () => [
    new Option('--redis [url]', 'claims are in Redis (default: REDIS_URL)').helpGroup(OTHER_STORES),
    new Option('--redis-cluster', 'that Redis is a cluster').helpGroup(OTHER_STORES),
  ],
  prefix: () => [
    new Option('--redis-prefix <prefix>', '`prefix` of the functions, if they have one').helpGroup(
      OTHER_STORES,
    ),
    new Option('--redis-slots <n>', '`slots` of the functions, if they have them')
      .argParser(integerBetween(1, 1_024))
      .helpGroup(OTHER_STORES),
  ],
} satisfies Record<string, () => Option[]>;

/** Adds these options to a command, under the headings of its help. */
export function withOptions(command: Command, ...kinds: readonly (keyof typeof OPTIONS)[]): Command {
  for (const kind of kinds) for (const option of OPTIONS[kind]()) command.addOption(option);
  return command;
}

/** Accepts the options of every command before the command too: `batchlatch --table claims claims list`. */
export function withHiddenOptions(program: Command): Command {
  for (const make of Object.values(OPTIONS)) {
    for (const option of make()) program.addOption(option.hideHelp());
  }
  return program;
}
