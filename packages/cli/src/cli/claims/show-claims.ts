import {
  type Claim,
  claimJson,
  claimTimeline,
  keyHash,
  type OperatorChange,
  type TimelineEvent,
} from 'batchlatch/operations';
import { OPERATION_DONE } from './operation-done.ts';
import { isoTime } from '../../tool-base/iso-time.ts';
import type { TableOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { withClaims } from '../connect/claims.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { relativeTime } from '../print/times.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { formatNumber } from '../print/plural.ts';
import { attemptText, errorText, parkedText, shownState } from './claim-cells.ts';
import { areNamed, findNamed, type Named } from './find-claims.ts';

interface ShowOptions extends TableOptions, Named {
  readonly showResult?: boolean;
}

/** `claims show` */
export const showCommand: Run<ShowOptions> = (context, options, keys) => {
  if (!areNamed(keys, options)) {
    throw new UsageError('Name the claim: KEY, --hash HASH or --record-id ID. `claims list` lists them.');
  }
  return withClaims(context, options, async ({ store, place }) => {
    const { screen } = context;
    const { claims, missing } = await findNamed(store, keys, options, context);
    const { showResult = false } = options;
    if (screen.isJson)
      screen.json({
        claims: claims.map((claim) => claimJson(claim, context.now(), { showResult })),
        next: null,
      });
    else {
      for (const [index, claim] of claims.entries()) {
        if (index > 0) screen.line();
        show(claim, context, showResult);
      }
    }
    for (const name of missing) screen.note(`There is no claim of ${escapeControls(name)} in ${place}.`);
    return missing.length > 0 ? 1 : 0;
  });
};

function show(claim: Claim, context: Context, showResult: boolean): void {
  const { screen } = context;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['key', escapeControls(claim.key)],
    ['hash', keyHash(claim.key)],
    ['state', shownState(claim, context)],
    ['why parked', parkedText(claim)],
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
