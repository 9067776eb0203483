import { type Claim, keyHash } from 'batchlatch/operations';
import { readWaterfall, type ReadLog, type WaterfallJson } from '../../console/waterfall/read-waterfall.ts';
import type { Span, WaterfallRow } from '../../console/waterfall/waterfall.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { awsSettings, isLocal } from '../connect/aws-settings.ts';
import type { Context } from '../context.ts';
import { cloudWatchLog } from '../../cloudwatch/cloudwatch-log.ts';
import { logsPlace } from '../logs/logs-place.ts';
import { fileLog } from '../logs/file-log.ts';
import { duration } from '../print/times.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** The options that name a log. */
export interface LogOptions extends TableOptions {
  /** A file, or true for CloudWatch Logs. */
  readonly log?: string | true;
  readonly logGroup?: string;
  readonly logRegion?: string;
}

/** Returns the log that the options name; undefined if they name none. */
export async function logOf(options: LogOptions, context: Context): Promise<ReadLog | undefined> {
  const { log, logGroup, logRegion } = options;
  if (log === undefined) return undefined;
  if (log !== true) return fileLog(log);
  const { region = options.region, endpoint } = awsSettings('DYNAMODB', options, context);
  const chosen = logRegion ?? region;
  if (chosen === undefined || (isLocal(endpoint) && logRegion === undefined)) {
    throw new UsageError('The log has no region here: give --log FILE, or --log-region REGION.');
  }
  return cloudWatchLog(await logsPlace(context, options, chosen), logGroup);
}

/** Reads the waterfall of the latest attempt. */
export function waterfallOfClaim(
  claim: Claim,
  log: ReadLog,
  { now, signal }: Pick<Context, 'now' | 'signal'>,
): Promise<WaterfallJson> {
  return readWaterfall(claim, log, { now: now(), signal });
}

/** Prints a waterfall as a table: each attempt of the batch, with the times of its parts. */
export function showWaterfall(
  claim: Claim,
  waterfall: WaterfallJson,
  { screen }: Pick<Context, 'screen'>,
): void {
  const { rows, requestId, batchMs, problem, source } = waterfall;
  screen.line();
  const batch = batchMs === undefined ? '' : `, ${duration(batchMs)} in all`;
  screen.line(
    screen.paint('bold', requestId === undefined ? 'Attempt' : `Batch ${escapeControls(requestId)}${batch}`),
  );
  const start = Math.min(...rows.map(firstOf));
  screen.table(
    ['KEY', 'RECORD', 'AFTER', 'CLAIM', 'WAIT', 'RUN', 'SETTLE', 'HELD'].map((heading, index) => ({
      heading,
      isRight: index > 1,
    })),
    rows.map((row) => [
      row.keyHash === keyHash(claim.key) ? `${row.keyHash} *` : escapeControls(row.keyHash),
      escapeControls(row.recordId),
      duration(firstOf(row) - start),
      ...(['claim', 'wait', 'run', 'settle', 'held'] as const).map((what) => lengthOf(row, what)),
    ]),
  );
  if (problem !== undefined) screen.note(`The log could not be read: ${escapeControls(problem)}`);
  else if (source === 'claim')
    screen.note('The log has no line of this attempt: these are the times of its claim.');
}

function firstOf({ spans }: WaterfallRow): number {
  return spans.find(({ what }) => what !== 'earlier')?.from ?? 0;
}

function lengthOf({ spans }: WaterfallRow, wanted: Span['what']): string {
  const span = spans.find(({ what }) => what === wanted);
  return span === undefined ? '' : duration(span.until - span.from);
}
