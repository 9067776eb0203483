import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { claimsTableDefinition, type ClaimsTableDefinition } from 'batchlatch/dynamodb';
import type { TableOptions } from '../arguments/common-options.ts';
import { ask, assertCanAsk, type Consent } from '../ask.ts';
import { UsageError } from '../cli-error.ts';
import { withDynamoDB } from '../connect/dynamodb.ts';
import { refuseRedis, tableNameOf } from '../connect/table-name.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { currentTable } from './current-table.ts';
import { stepsFor, type TableStep, untilUnchanging, type WantedTable } from './table-steps.ts';

interface CreateOptions extends TableOptions, Consent {
  readonly overdueIndex: boolean;
  readonly deletionProtection: boolean;
  readonly recovery: boolean;
  readonly billing: 'on-demand' | 'provisioned';
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly print?: boolean;
}

/** `table create` */
export const createCommand: Run<CreateOptions> = async (context, options) => {
  if (options.print === true && options.postgres === undefined) {
    throw new UsageError('--print shows the SQL for PostgreSQL: add --postgres.');
  }
  refuseRedis(options);
  if (options.postgres !== undefined) {
    const { overdueIndex, deletionProtection, recovery, billing } = options;
    if (billing === 'provisioned' || !(overdueIndex && deletionProtection && recovery)) {
      throw new UsageError(
        '--billing, --no-overdue-index, --no-deletion-protection and ' +
          '--no-recovery are for tables of DynamoDB: leave them out.',
      );
    }
    const { createPostgresTable, printPostgresTable } = await import('./postgres-table.ts');
    return options.print === true
      ? printPostgresTable(context, options)
      : createPostgresTable(context, options);
  }
  const tableName = tableNameOf(options.table, context);
  assertCanAsk(options, context);
  return withDynamoDB(context, options, async (client) => {
    const wanted = await wantedTable(tableName, options);
    if (options.dryRun !== true) await untilUnchanging(client, tableName, context);
    const steps = stepsFor(wanted, await currentTable(client, tableName, context.signal));
    if (steps.length === 0)
      return end(tableName, steps, context, 'is there already, with all that was asked for');
    if (options.dryRun === true || options.yes !== true) showPlan(tableName, steps, context);
    if (options.dryRun === true) return end(tableName, [], context, 'was not changed: this was a dry run');
    if (options.yes !== true && !(await ask('Do this?', context))) {
      context.screen.note('Nothing was changed.');
      return 1;
    }
    await take(steps, client, context);
    return end(tableName, steps, context, 'is ready');
  });
};

async function wantedTable(tableName: string, options: CreateOptions): Promise<WantedTable> {
  const names =
    options.attributes === 'powertools'
      ? (await import('./powertools-attributes.ts')).powertoolsAttributes.names
      : undefined;
  const { overdueIndex, index } = options;
  const hasIndex = overdueIndex && index !== 'none';
  const definition: ClaimsTableDefinition = claimsTableDefinition(
    tableName,
    names === undefined ? {} : { key: names.key, expiresAt: names.expiresAt, leaseUntil: names.leaseUntil },
    { overdueIndex: hasIndex && index !== undefined ? { name: index } : hasIndex },
  );
  const { billing, readUnits, writeUnits, deletionProtection, recovery } = options;
  return {
    definition,
    isIndexNamed: index !== undefined,
    isProtected: deletionProtection,
    isRecoverable: recovery,
    ...(billing === 'provisioned' && {
      capacity: { ReadCapacityUnits: readUnits, WriteCapacityUnits: writeUnits },
    }),
  };
}

/** Takes the steps. After an interruption, the next run plans the rest from the current table. */
async function take(steps: readonly TableStep[], client: DynamoDBClient, context: Context): Promise<void> {
  for (const step of steps) {
    context.signal.throwIfAborted();
    context.screen.note(`${step.what} …`);
    await step.take(client, context);
  }
}

function showPlan(tableName: string, steps: readonly TableStep[], { screen }: Context): void {
  screen.note(`Table ${escapeControls(tableName)}:`);
  for (const { what } of steps) screen.note(`  ${what}`);
}

function end(tableName: string, steps: readonly TableStep[], { screen }: Context, words: string): 0 {
  if (screen.isJson) screen.json({ table: tableName, done: steps.map(({ code }) => code) });
  else screen.line(`Table ${escapeControls(tableName)} ${words}.`);
  return 0;
}
