import type { TableOptions } from '../arguments/common-options.ts';
import { type KeyOptions, keyOf } from '../arguments/key-options.ts';
import { UsageError } from '../cli-error.ts';
import { awsSettings, isLocal } from '../connect/aws-settings.ts';
import { type Claims, withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import { cloudWatchLog } from '../../cloudwatch/cloudwatch-log.ts';
import { logsPlace } from '../logs/logs-place.ts';
import type { Run } from '../subcommand.ts';
import type { ExitStatus } from '../process-io.ts';
import type { DemoOptions } from './demo-command.ts';
import { type ConsoleParts, serveConsole } from './open-console.ts';
import { type OpenQueues, withQueues } from './with-queues.ts';
import { type ShownOutboxOptions, withShownOutbox } from './with-shown-outbox.ts';

interface ConsoleCommandOptions extends TableOptions, DemoOptions, KeyOptions, ShownOutboxOptions {
  readonly queue?: readonly string[];
  readonly dlq?: readonly string[];
  readonly useReceives?: boolean;
  readonly allowChanges?: boolean;
  readonly logRegion?: string;
  readonly logGroup?: string;
  readonly demo?: boolean;
}

/** `console` */
export const consoleCommand: Run<ConsoleCommandOptions> = async (context, options, operands) => {
  if (options.demo === true) {
    assertAlone(options);
    const { demoCommand } = await import('./demo-command.ts');
    return demoCommand(context, options, operands);
  }
  if (options.seed !== undefined || options.rate !== undefined) {
    throw new UsageError('--seed and --rate are for --demo: leave them out.');
  }
  return withClaims(context, options, (claims) =>
    withQueues(context, options, (queues) =>
      withShownOutbox(context, options, async (outbox): Promise<ExitStatus> => {
        const parts = await partsOf(context, options, { claims, queues, outbox });
        await serveConsole(context, parts, options.open === true);
        return 0;
      }),
    ),
  );
};

async function partsOf(
  context: Context,
  options: ConsoleCommandOptions,
  {
    claims,
    queues: { sqs, queues, queueMetrics },
    outbox,
  }: {
    readonly claims: Claims;
    readonly queues: OpenQueues;
    readonly outbox: Pick<ConsoleParts, 'outbox'>;
  },
): Promise<ConsoleParts> {
  const { allowChanges = false, useReceives, host, port } = options;
  const key = keyOf(options);
  const readEveryMs = readEveryOf(options, claims);
  const region = regionOf(options, context);
  const { estimateRows } = claims;
  return {
    store: claims.store,
    place: claims.place,
    indexedStates: claims.indexedStates,
    queues,
    operator: options.operator,
    allowChanges,
    ...outbox,
    ...(sqs !== undefined && { sqs }),
    ...(queueMetrics !== undefined && { queueMetrics }),
    ...(key !== undefined && { key }),
    ...(options.namespace !== undefined && { namespaces: [options.namespace] }),
    ...(useReceives === true && { usesReceives: true }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(readEveryMs !== undefined && { readEveryMs }),
    ...(region !== undefined && {
      region,
      readLog: cloudWatchLog(await logsPlace(context, options, region), options.logGroup),
    }),
    ...(estimateRows !== undefined && { estimateRows }),
  };
}

/** The options that cannot be combined with `--demo`, which has its own table and queues. */
const NOT_IN_DEMO = {
  table: '--table',
  index: '--index',
  attributes: '--attributes',
  postgres: '--postgres',
  redis: '--redis',
  outbox: '--outbox',
  outboxPostgres: '--outbox-postgres',
  queue: '--queue',
  dlq: '--dlq',
  namespace: '--namespace',
  keyField: '--key-field',
  keyHash: '--key-hash',
  keyExclude: '--key-exclude',
  endpointUrl: '--endpoint-url',
  profile: '--profile',
} as const;

function assertAlone(options: ConsoleCommandOptions): void {
  const [, given] = Object.entries(NOT_IN_DEMO).find(([name]) => Object.hasOwn(options, name)) ?? [];
  if (given === undefined) return;
  throw new UsageError(`The demo has a table and queues of its own: leave ${given} out, or --demo.`);
}

/** Returns how often to read every row. Default: every 2 s on this machine, else never: reads cost money. */
function readEveryOf({ readEvery }: ConsoleCommandOptions, { isLocal: isHere }: Claims): number | undefined {
  if (readEvery === 'none') return undefined;
  if (readEvery !== undefined) return readEvery * 1_000;
  return isHere ? 2_000 : undefined;
}

/** Returns the region of the functions' log; undefined for an emulator, which has none. */
function regionOf(options: ConsoleCommandOptions, context: Context): string | undefined {
  if (options.logRegion !== undefined) return options.logRegion;
  if (options.postgres !== undefined || options.redis !== undefined) return options.region;
  const { region, endpoint } = awsSettings('DYNAMODB', options, context);
  return isLocal(endpoint) ? undefined : region;
}
