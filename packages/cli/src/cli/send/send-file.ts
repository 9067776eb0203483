import { clockOf } from '../clock.ts';
import type { Context } from '../context.ts';
import { explainError } from '../explain-error.ts';
import type { LineSource } from '../lines/open-lines.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';
import type { ExitStatus } from '../process-io.ts';
import type { Sendable } from '../../sending/outgoing.ts';
import { type SendLinesOptions, sendLines, type Tally } from './send-lines.ts';
import { withSendProgress } from './send-progress.ts';

/** How fast lines are sent, and whether at all. */
export interface SendingOptions {
  readonly concurrency: number;
  readonly rate?: number;
  readonly dryRun?: boolean;
}

/** The queue or bus that lines are sent to. */
export interface Destination<Message extends Sendable> extends Pick<
  SendLinesOptions<Message>,
  'messageOf' | 'laneOf' | 'mostBytes' | 'send'
> {
  readonly kind: 'queue' | 'bus';
  /** The URL or name of a queue; the name of a bus. */
  readonly address: string;
  /** Whether a message that is sent twice arrives twice. */
  readonly keepsRepeated: boolean;
}

/** The most unsent lines that are printed. */
const MOST_SHOWN = 20;

/** Sends the lines of a source, and prints the outcome. */
export async function sendFile<Message extends Sendable>(
  context: Context,
  options: SendingOptions,
  source: LineSource,
  destination: Destination<Message>,
): Promise<ExitStatus> {
  const nothing: Destination<Message>['send'] = async (messages) => ({
    sent: messages.length,
    refused: [],
    repeated: 0,
  });
  const tally = await withSendProgress(context, source.size, (onProgress) =>
    sendLines(source, {
      ...destination,
      send: options.dryRun === true ? nothing : destination.send,
      concurrency: options.concurrency,
      ...(options.rate !== undefined && { rate: options.rate }),
      clock: clockOf(context),
      signal: context.signal,
      onProgress,
    }),
  );
  return report(context, source, destination, tally, options.dryRun === true);
}

function report(
  { screen, signal }: Context,
  source: LineSource,
  { kind, address, keepsRepeated }: Omit<Destination<never>, 'messageOf' | 'laneOf' | 'send'>,
  tally: Tally,
  isDryRun: boolean,
): ExitStatus {
  const { read, sent, failed, repeated, requests, lastLine, failures, fatal } = tally;
  const isWhole = fatal === undefined && !signal.aborted;
  const error = fatal === undefined ? null : explainError(fatal).line;
  if (screen.isJson) {
    screen.json({
      [kind]: address,
      read,
      sent,
      failed,
      repeated,
      requests,
      lastLine,
      isWhole,
      isDryRun,
      error,
      failures,
    });
  } else {
    for (const { line, code, message } of failures.slice(0, MOST_SHOWN)) {
      screen.note(
        escapeControls(`${source.name}:${line} ${code === 'invalid' ? message : `${code}: ${message}`}`),
      );
    }
    if (failed > MOST_SHOWN)
      screen.note(`… and ${formatNumber(failed - MOST_SHOWN)} more; --json lists the first 1,000.`);
    const noun = kind === 'queue' ? 'message' : 'event';
    const verb = isDryRun ? 'would be sent' : sent === 1 ? 'was sent' : 'were sent';
    const rest = failed === 0 ? '' : `, ${plural(failed, 'line')} not`;
    const name = kind === 'queue' ? nameOf(address) : `bus ${nameOf(address)}`;
    screen.line(`${plural(sent, noun)} ${verb} to ${escapeControls(name)}${rest}.`);
    if (repeated > 0 && keepsRepeated) {
      screen.note(
        `${plural(repeated, noun)} may be there twice: a request got no answer and was sent again.`,
      );
    }
    if (!isWhole) screen.note(`Sending ended after line ${formatNumber(lastLine)}; no later line was sent.`);
    if (error !== null) screen.note(`Error: ${error}`);
  }
  return failed === 0 && isWhole ? 0 : 1;
}

/** Returns the last part of a URL or an ARN. */
function nameOf(address: string): string {
  return address.split('/').at(-1) ?? address;
}
