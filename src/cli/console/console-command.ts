import { once } from 'node:events';
import type { ActionJson } from '../../console/api.ts';
import type { ConsoleOptions } from '../../console/options.ts';
import { type RunningConsole, startConsole } from '../../console/start-console.ts';
import { OPERATION_DONE } from '../../operations/claim-history.ts';
import { processorKey } from '../../operations/dead-letters/processor-key.ts';
import { appFolder } from '../app-folder.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import { CliError } from '../cli-error.ts';
import { clockOf } from '../clock.ts';
import { awsSettings, isLocal } from '../connect/aws-settings.ts';
import { type Claims, withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import type { Run } from '../leaf.ts';
import { visible } from '../print/visible.ts';
import { count, number } from '../print/words.ts';
import type { ExitStatus } from '../surroundings.ts';
import { versionOfPackage } from '../version.ts';
import { openInBrowser } from './open-in-browser.ts';
import { withQueues } from './with-queues.ts';

interface ConsoleCommandOptions extends TableOptions {
  readonly queue?: readonly string[];
  readonly dlq?: readonly string[];
  readonly useReceives?: boolean;
  readonly namespace?: string;
  readonly allowChanges?: boolean;
  readonly operator?: string;
  readonly port?: number;
  readonly host?: string;
  readonly open?: boolean;
  readonly readEvery?: number | 'none';
  readonly logRegion?: string;
}

/** `console` */
export const consoleCommand: Run<ConsoleCommandOptions> = (context, options) =>
  withClaims(context, options, (claims) =>
    withQueues(context, options, async ({ sqs, queues, queueMetrics }): Promise<ExitStatus> => {
      const { namespace, allowChanges = false, useReceives, host, port } = options;
      const readEveryMs = readEveryOf(options, claims);
      const region = regionOf(options, context);
      const { estimateRows } = claims;
      const running = await listening({
        store: claims.store,
        place: claims.place,
        indexedStates: claims.indexedStates,
        queues,
        operator: options.operator ?? context.operator(),
        allowChanges,
        appFolder: appFolder(),
        version: versionOfPackage(),
        clock: clockOf(context),
        onAction: (action) => showAction(action, context),
        ...(sqs !== undefined && { sqs }),
        ...(queueMetrics !== undefined && { queueMetrics }),
        ...(namespace !== undefined && { key: processorKey({ namespace }) }),
        ...(useReceives === true && { usesReceives: true }),
        ...(host !== undefined && { host }),
        ...(port !== undefined && { port }),
        ...(readEveryMs !== undefined && { readEveryMs }),
        ...(region !== undefined && { region }),
        ...(estimateRows !== undefined && { estimateRows }),
      });
      try {
        show(running, claims, options, context);
        if (options.open === true) openInBrowser(running.ticketUrl(), context);
        if (!context.signal.aborted) await once(context.signal, 'abort');
      } finally {
        await running.stop();
      }
      return 0;
    }),
  );

async function listening(options: ConsoleOptions): Promise<RunningConsole> {
  try {
    return await startConsole(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const { host = '127.0.0.1', port = 0 } = options;
    if (code === 'EADDRINUSE') {
      throw new CliError(`Port ${port} is taken: leave --port out for a free one.`, { cause: error });
    }
    if (code === 'EACCES') throw new CliError(`Port ${port} is not for this user.`, { cause: error });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CliError(`${visible(host)} is no address of this machine.`, { cause: error });
    }
    throw error;
  }
}

/** What is on this machine costs nothing to read. */
function readEveryOf({ readEvery }: ConsoleCommandOptions, { isLocal: isHere }: Claims): number | undefined {
  if (readEvery === 'none') return undefined;
  if (readEvery !== undefined) return readEvery * 1_000;
  return isHere ? 2_000 : undefined;
}

/** Where the log of the functions is; an emulator has none. */
function regionOf(options: ConsoleCommandOptions, context: Context): string | undefined {
  if (options.logRegion !== undefined) return options.logRegion;
  if (options.postgres !== undefined || options.redis !== undefined) return options.region;
  const { region, endpoint } = awsSettings('DYNAMODB', options, context);
  return isLocal(endpoint) ? undefined : region;
}

function show(
  { url }: RunningConsole,
  { place }: Claims,
  { allowChanges = false, host = '127.0.0.1' }: ConsoleCommandOptions,
  { screen }: Context,
): void {
  if (screen.isJson) screen.json({ type: 'ready', url, place, allowChanges }, 'line');
  else screen.line(url);
  screen.note(
    allowChanges
      ? `Console of ${place}. Whoever has this address can change claims. Ctrl-C ends it.`
      : `Console of ${place}, which only reads; --allow-changes lets it change claims. Ctrl-C ends it.`,
  );
  if (/^(localhost|127\..*|::1)$/.test(host)) return;
  screen.note(
    'It listens on more than this machine, and without encryption: let nobody else into that network.',
  );
}

/** Each change beside the log of the terminal, when it has ended. */
function showAction(action: ActionJson, { screen, now }: Context): void {
  const { what, done, asked, refused, failed, reason, ended, operator } = action;
  if (ended === undefined) return;
  const unit = what === 'redrive' ? 'message' : 'claim';
  const verb = what === 'redrive' ? 'moved' : OPERATION_DONE[what];
  const others = [
    refused > 0 ? `${number(refused)} ${what === 'redrive' ? 'left' : 'refused'}` : undefined,
    failed > 0 ? `${number(failed)} failed` : undefined,
    ended === 'whole' ? undefined : ended,
  ].filter((text) => text !== undefined);
  const rest = others.length === 0 ? '' : `, ${others.join(', ')}`;
  screen.note(
    `${new Date(now()).toISOString()} ${number(done)} of ${count(asked, unit)} ${verb}${rest} by ${visible(operator)}: "${visible(reason)}"`,
  );
}
