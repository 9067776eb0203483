import { once } from 'node:events';
import type { ActionJson } from '../../console/api.ts';
import type { ConsoleOptions } from '../../console/options.ts';
import { type RunningConsole, startConsole } from '../../console/start-console.ts';
import { OPERATION_DONE } from '../claims/operation-done.ts';
import { appFolder } from '../app-folder.ts';
import { CliError } from '../cli-error.ts';
import { clockOf } from '../clock.ts';
import type { Context } from '../context.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';
import { messageSender } from '../../sending/message-sender.ts';
import { versionOfPackage } from '../version.ts';
import { openInBrowser } from './open-in-browser.ts';

/** The parts of a console that its callers choose. */
export type ConsoleParts = Omit<
  ConsoleOptions,
  'appFolder' | 'clock' | 'onAction' | 'operator' | 'version'
> & {
  /** Default: who runs the command. */
  readonly operator?: string | undefined;
};

/** Starts a console that prints each change to standard error. Throws a `CliError` if it cannot listen. */
export async function openConsole(context: Context, parts: ConsoleParts): Promise<RunningConsole> {
  try {
    const { sqs } = parts;
    return await startConsole({
      ...parts,
      ...(sqs !== undefined && { sender: messageSender(sqs, (ms) => context.sleep(ms)) }),
      operator: parts.operator ?? context.operator(),
      appFolder: appFolder(),
      version: versionOfPackage(),
      clock: clockOf(context),
      onAction: (action) => showAction(action, context),
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const { host = '127.0.0.1', port = 0 } = parts;
    if (code === 'EADDRINUSE') {
      throw new CliError(`Port ${port} is in use: choose another, or leave the option out for a free one.`, {
        cause: error,
      });
    }
    if (code === 'EACCES')
      throw new CliError(`This user may not listen on port ${port}: choose one from 1024 up.`, {
        cause: error,
      });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CliError(
        `${escapeControls(host)} is not an address of this machine: ` +
          'name one with --host, or leave --host out.',
        { cause: error },
      );
    }
    throw error;
  }
}

/** Starts a console, prints its address, and stops it when the command is aborted. */
export async function serveConsole(
  context: Context,
  parts: ConsoleParts,
  opensBrowser: boolean,
): Promise<void> {
  const running = await openConsole(context, parts);
  try {
    show(running, parts, context);
    if (opensBrowser) openInBrowser(running.ticketUrl(), context);
    if (!context.signal.aborted) await once(context.signal, 'abort');
  } finally {
    await running.stop();
  }
}

function show(
  { url }: RunningConsole,
  { place, allowChanges = false, host = '127.0.0.1' }: ConsoleParts,
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
  screen.note('Other machines can connect to it, without encryption: use it in a network that you trust.');
}

const ofClaims = (verb: string): ActionText => ({ unit: 'claim', verb });

interface ActionText {
  readonly unit: string;
  readonly verb: string;
}

const ACTIONS: Readonly<Record<ActionJson['what'], ActionText>> = {
  release: ofClaims(OPERATION_DONE.release),
  resolve: ofClaims(OPERATION_DONE.resolve),
  park: ofClaims(OPERATION_DONE.park),
  forget: ofClaims(OPERATION_DONE.forget),
  redrive: { unit: 'message', verb: 'moved' },
  send: { unit: 'message', verb: 'sent' },
  'release-row': { unit: 'row', verb: 'released' },
  'drop-row': { unit: 'row', verb: 'dropped' },
};

/** Prints a change once it has ended. */
function showAction(action: ActionJson, { screen, now }: Context): void {
  const { what, done, asked, refused, failed, reason, ended, operator } = action;
  if (ended === undefined) return;
  const { unit, verb } = ACTIONS[what];
  const others = [
    refused > 0 ? `${formatNumber(refused)} ${what === 'redrive' ? 'left' : 'refused'}` : undefined,
    failed > 0 ? `${formatNumber(failed)} failed` : undefined,
    ended === 'whole' ? undefined : ended,
  ].filter((text) => text !== undefined);
  const rest = others.length === 0 ? '' : `, ${others.join(', ')}`;
  screen.note(
    `${new Date(now()).toISOString()} ${formatNumber(done)} of ${plural(asked, unit)} ` +
      `${verb}${rest} by ${escapeControls(operator)}: "${escapeControls(reason)}"`,
  );
}
