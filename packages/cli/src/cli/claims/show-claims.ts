import type { SQS } from '@aws-sdk/client-sqs';
import {
  type Claim,
  claimJson,
  claimTimeline,
  keyHash,
  nextStepOf,
  type OperatorChange,
  type RedeliverySettings,
  type TimelineEvent,
} from 'batchlatch/operations';
import { OPERATION_DONE } from './operation-done.ts';
import { isoTime } from '../../tool-base/iso-time.ts';
import { UsageError } from '../cli-error.ts';
import type { KeyOptions } from '../arguments/key-options.ts';
import { withClaims } from '../connect/claims.ts';
import { isQueueUrl, namedQueueUrl, withSqs } from '../connect/sqs.ts';
import { redeliveryIn } from '../../console/queue-reader.ts';
import type { WaterfallJson } from '../../console/waterfall/read-waterfall.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { relativeTime } from '../print/times.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { formatNumber } from '../print/plural.ts';
import { attemptText, errorText, parkedText, shownState, typeText } from './claim-cells.ts';
import { type LogOptions, logOf, showWaterfall, waterfallOfClaim } from './show-waterfall.ts';
import { keysOfPayload } from './payload-key.ts';
import { areNamed, findNamed, type Named, tellNotRead } from './find-claims.ts';

interface ShowOptions extends LogOptions, Named, KeyOptions {
  readonly payload?: string;
  readonly showResult?: boolean;
  readonly queue?: string;
}

/** `claims show` */
export const showCommand: Run<ShowOptions> = async (context, options, operands) => {
  const keys = [...operands, ...(await keysOfPayload(context, options))];
  if (!areNamed(keys, options)) {
    throw new UsageError(
      'Name the claim: KEY, --hash HASH, --record-id ID, --search TEXT or --payload FILE. ' +
        '`claims list` lists them.',
    );
  }
  return withClaims(context, options, async ({ store, place }) => {
    const { screen } = context;
    const found = await findNamed(store, keys, options, context);
    const { claims, missing, notRead, newer } = found;
    const { showResult = false } = options;
    const queue = claims.length === 0 ? undefined : await redeliveryOf(options, context);
    const log = await logOf(options, context);
    const shown: { readonly claim: Claim; readonly waterfall: WaterfallJson | undefined }[] = [];
    // One after the other: CloudWatch allows few searches a second, and a search may find many claims.
    for (const claim of claims) {
      shown.push({ claim, waterfall: log && (await waterfallOfClaim(claim, log, context)) });
    }
    if (screen.isJson)
      screen.json({
        claims: shown.map(({ claim, waterfall }) => ({
          ...toJson(claim, context, showResult, queue),
          ...(waterfall !== undefined && { waterfall }),
        })),
        next: null,
        ...(newer !== undefined && { newer }),
        ...(notRead.length > 0 && {
          notRead: notRead.map(({ name, error }) => ({ key: name, message: error.message })),
        }),
      });
    else {
      for (const [index, { claim, waterfall }] of shown.entries()) {
        if (index > 0) screen.line();
        show(claim, context, showResult, queue);
        if (waterfall !== undefined) showWaterfall(claim, waterfall, context);
      }
    }
    for (const name of missing) screen.note(`There is no claim of ${escapeControls(name)} in ${place}.`);
    tellNotRead(found, context);
    return claims.length === 0 || missing.length + notRead.length > 0 ? 1 : 0;
  });
};

/** Reads the settings of the queue that `--queue` names. */
async function redeliveryOf(
  { queue, ...options }: ShowOptions,
  context: Context,
): Promise<RedeliverySettings | undefined> {
  if (queue === undefined) return undefined;
  const read = async (sqs: SQS): Promise<RedeliverySettings | undefined> => {
    const { signal } = context;
    const { Attributes = {} } = await sqs.getQueueAttributes(
      {
        QueueUrl: await namedQueueUrl(sqs, queue, signal),
        AttributeNames: ['VisibilityTimeout', 'RedrivePolicy'],
      },
      { abortSignal: signal },
    );
    return redeliveryIn(Attributes);
  };
  return withSqs(context, options, read, isQueueUrl(queue) ? { queueUrl: queue } : {});
}

function toJson(
  claim: Claim,
  { now }: Pick<Context, 'now'>,
  showResult: boolean,
  queue: RedeliverySettings | undefined,
): object {
  const nextStep = nextStepJson(claim, now(), queue);
  return { ...claimJson(claim, now(), { showResult }), nextStep };
}

/** Returns what happens next to a claim as JSON, with its time in ISO 8601. */
export function nextStepJson(claim: Claim, now: number, queue?: RedeliverySettings): object {
  const { at, ...step } = nextStepOf(claim, now, queue);
  return { ...step, ...(at !== undefined && { at: isoTime(at) }) };
}

/** Returns what happens next as a sentence, such as `Nothing: completed, forgotten at …`. */
function nextText(claim: Claim, context: Context, queue: RedeliverySettings | undefined): string {
  const { text, at, isEstimate } = nextStepOf(claim, context.now(), queue);
  const time = at === undefined ? '' : ` ${isEstimate === true ? 'about' : 'at'} ${bothTimes(at, context)}`;
  return `${escapeControls(text)}${time}`;
}

function show(
  claim: Claim,
  context: Context,
  showResult: boolean,
  queue: RedeliverySettings | undefined,
): void {
  const { screen } = context;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['key', escapeControls(claim.key)],
    ['type', typeText(claim) || undefined],
    ['hash', keyHash(claim.key)],
    ['state', shownState(claim, context)],
    ['why parked', parkedText(claim)],
    ['next', nextText(claim, context, queue)],
    ['attempt', attemptText(claim)],
    ['crashes', claim.crashes > 0 ? formatNumber(claim.crashes) : undefined],
    ['error', errorText(claim) || undefined],
    ['error code', claim.error?.code && escapeControls(claim.error.code)],
    ['record id', claim.recordId && escapeControls(claim.recordId)],
    ['run by', claim.lockedBy && escapeControls(claim.lockedBy)],
    ['lease until', claim.status === 'IN_PROGRESS' ? bothTimes(claim.leaseUntil, context) : undefined],
    ['kept until', claim.expiresAt === undefined ? 'for ever' : bothTimes(claim.expiresAt, context)],
    ['payload hash', claim.payloadHash && escapeControls(claim.payloadHash)],
    ['result', resultText(claim, showResult)],
  ];
  for (const [name, value] of fields) {
    if (value !== undefined) screen.line(`${screen.paint('dim', name.padEnd(13))} ${value}`);
  }
  screen.line();
  screen.line(screen.paint('bold', 'History'));
  for (const event of claimTimeline(claim, context.now())) {
    screen.line(`  ${bothTimes(event.at, context)}  ${eventText(event)}`);
  }
}

function resultText({ result }: Claim, showResult: boolean): string | undefined {
  if (result === undefined) return undefined;
  return showResult
    ? escapeControls(result)
    : `${formatNumber(result.length)} characters; --show-result shows it`;
}

function eventText(event: TimelineEvent): string {
  switch (event.kind) {
    case 'claimed':
      return event.attempt === 1 ? 'claimed for the first time' : `claimed for attempt ${event.attempt}`;
    case 'changed':
      return changeText(event);
    case 'completed':
      return 'completed';
    case 'failed':
    case 'parked':
      return `${event.kind}: ${errorText(event)}`;
    case 'lapsed':
      return 'lease ended, and nobody has settled or taken it over';
  }
}

function changeText({ operation, operator, reason, from }: OperatorChange): string {
  const error = errorText(from);
  const before =
    `was ${escapeControls(from.status)} at attempt ${from.attempt}` + (error === '' ? '' : `, ${error}`);
  const by = escapeControls(operator);
  return `${OPERATION_DONE[operation]} by ${by}: "${escapeControls(reason)}" (${before})`;
}

/** Returns the time in ISO 8601, and on a terminal also relative to now. */
function bothTimes(time: number, { screen, now }: Context): string {
  const iso = isoTime(time)?.replace(/\.\d+Z$/, 'Z') ?? '?';
  return screen.isTerminal ? `${iso} (${relativeTime(time, now())})` : iso;
}
