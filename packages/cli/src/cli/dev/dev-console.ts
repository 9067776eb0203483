import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import type { RunningConsole } from '../../console/start-console.ts';
import type { DisposeStack } from '../../dev/emulators/dispose-stack.ts';
import { emulatorClientConfig } from '../../dev/emulators/emulator-environment.ts';
import type { Places } from '../../dev/places.ts';
import type { DevStack, DevTable } from '../../dev/stack.ts';
import { dynamoDBAdmin } from 'batchlatch/dynamodb';
import { UsageError } from '../cli-error.ts';
import { openConsole } from '../console/open-console.ts';
import type { Context } from '../context.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** The options of the console in `dev`. */
export interface DevConsoleOptions {
  readonly console?: boolean;
  readonly consoleTable?: string;
  readonly portConsole?: number;
}

const READ_EVERY_MS = 2_000;

/** Returns the table of this name or id, else the first claims table. Throws a `UsageError` without one. */
export function consoleTableOf({ tables }: DevStack, named: string | undefined): DevTable {
  const all = tables.map(({ id }) => escapeControls(id)).join(', ');
  if (named !== undefined) {
    const found = tables.find(({ id, name }) => id === named || name === named);
    if (found !== undefined) return found;
    throw new UsageError(
      `The template has no table ${escapeControls(named)} for the ` +
        `console; it has ${all === '' ? 'none' : all}.`,
    );
  }
  const found = tables.find(isClaimsTable);
  if (found !== undefined) return found;
  throw new UsageError(
    'The template has no claims table for the console, which has the key `id` and TTL on ' +
      `\`expiresAt\`${all === '' ? '' : `: if it is one of ${all}, name it with --console-table`}.`,
  );
}

/** Returns whether the table has the key and the TTL of the template in docs/deploying.md. */
function isClaimsTable({ definition, timeToLiveAttribute }: DevTable): boolean {
  const keys = definition['KeySchema'];
  if (!Array.isArray(keys) || keys.length !== 1) return false;
  const [{ AttributeName: key }] = keys as [{ readonly AttributeName?: unknown }];
  return key === 'id' && timeToLiveAttribute === 'expiresAt';
}

/** Opens a console on a running stack. `cleanup` closes it. */
export async function openDevConsole(
  context: Context,
  stack: DevStack,
  places: Places,
  { table, port }: { readonly table: DevTable; readonly port: number | undefined },
  cleanup: DisposeStack,
): Promise<RunningConsole> {
  const dynamoDB = new DynamoDB({ ...emulatorClientConfig, endpoint: places.dynamodb });
  cleanup.defer(() => dynamoDB.destroy());
  const sqs = new SQS({ ...emulatorClientConfig, endpoint: places.sqs });
  cleanup.defer(() => sqs.destroy());
  const dead = deadLetterArns(stack);
  const index = overdueIndexOf(table);
  const store = dynamoDBAdmin({
    tableName: table.name,
    client: dynamoDB,
    writes: 'single', // supported by every emulator
    overdueIndex: index === undefined ? false : { name: index },
  });
  const running = await openConsole(context, {
    store,
    place: `table ${table.name}`,
    indexedStates: index === undefined ? [] : ['in-progress', 'overdue', 'parked'],
    queues: stack.queues.map(({ name, url, arn }) => ({ name, url, isDeadLetter: dead.has(arn) })),
    sqs,
    allowChanges: true,
    readEveryMs: READ_EVERY_MS,
    ...(port !== undefined && { port }),
  });
  cleanup.defer(() => running.stop());
  return running;
}

function overdueIndexOf({ definition }: DevTable): string | undefined {
  const { GlobalSecondaryIndexes: indexes = [] } = definition as {
    readonly GlobalSecondaryIndexes?: readonly {
      readonly IndexName?: string;
      readonly KeySchema?: readonly { readonly AttributeName?: string; readonly KeyType?: string }[];
    }[];
  };
  return indexes.find(({ KeySchema: keys = [] }) => keys[0]?.AttributeName === 'overdueShard')?.IndexName;
}

/** Returns the ARNs of dead-letter queues and failure destinations. */
function deadLetterArns({ queues, functions }: DevStack): ReadonlySet<string | undefined> {
  const ofQueues = queues.map(({ attributes }) => {
    const policy = JSON.parse(attributes['RedrivePolicy'] ?? '{}') as {
      readonly deadLetterTargetArn?: string;
    };
    return policy.deadLetterTargetArn;
  });
  const ofFunctions = functions.flatMap(({ asynchronous, triggers }) => [
    asynchronous.onFailure,
    asynchronous.deadLetterQueue,
    ...triggers.map((trigger) => ('onFailure' in trigger ? trigger.onFailure : undefined)),
  ]);
  return new Set([...ofQueues, ...ofFunctions]);
}
