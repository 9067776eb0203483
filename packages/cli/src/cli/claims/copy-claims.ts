import { type ClaimsCopy, claimStatistics, copyClaims } from 'batchlatch/operations';
import { ask, assertCanAsk, type Consent } from '../ask.ts';
import { clockOf } from '../clock.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural, formatNumber } from '../print/plural.ts';
import { type CopySide, type CopyStores, withBoth } from './copy-stores.ts';

interface CopyCommandOptions extends CopyStores, Consent {
  readonly prefix?: string;
  readonly cursor?: string;
  readonly leaveOutLongResults?: boolean;
}

/** `claims copy` */
export const copyCommand: Run<CopyCommandOptions> = (context, options) => {
  assertCanAsk(options, context);
  return withBoth(context, options, async (from, to) => {
    if (options.dryRun === true) return dryRun(from, to, options, context);
    const question = `Copy the claims of ${from.place} to ${to.place}?`;
    if (options.yes !== true && !(await ask(question, context))) {
      context.screen.note('Nothing was copied.');
      return 1;
    }
    return copy(from, to, options, context);
  });
};

async function dryRun(
  from: CopySide,
  to: CopySide,
  { prefix, cursor }: CopyCommandOptions,
  context: Context,
): Promise<0> {
  const { screen, signal } = context;
  const { counts, newer = [] } = await claimStatistics(from.store, {
    signal,
    limit: Number.MAX_SAFE_INTEGER,
    clock: clockOf(context),
    onProgress: ({ rowsRead }) => screen.progress(`${plural(rowsRead, 'row')} read …`),
    ...(prefix !== undefined && { keyPrefix: prefix }),
    ...(cursor !== undefined && { cursor }),
  });
  screen.progress(undefined);
  const total = Object.values(counts).reduce((sum, amount) => sum + amount, 0);
  if (screen.isJson) screen.json({ wouldCopy: total, running: counts['in-progress'], newer: newer.length });
  else {
    screen.line(
      `${from.place} has ${plural(total, 'claim')} to copy to ${to.place}, ` +
        `${formatNumber(counts['in-progress'])} of them running.`,
    );
    if (newer.length > 0) screen.note(newerNote(newer.length));
    screen.note('This was a dry run: nothing was copied.');
  }
  return 0;
}

const MOST_FAILURES_SHOWN = 20;

async function copy(
  from: CopySide,
  to: CopySide,
  { prefix, cursor, leaveOutLongResults }: CopyCommandOptions,
  context: Context,
): Promise<0 | 1> {
  const { screen, signal } = context;
  const failures: { readonly key: string; readonly message: string }[] = [];
  let last: ClaimsCopy | undefined;
  try {
    last = await copyClaims(from.store, to.store, {
      signal,
      clock: clockOf(context),
      ...(prefix !== undefined && { keyPrefix: prefix }),
      ...(cursor !== undefined && { cursor }),
      ...(leaveOutLongResults === true && { leaveOutLongResults }),
      onProgress(done) {
        last = done;
        screen.progress(`${formatNumber(done.copied)} copied, ${formatNumber(done.present)} there already …`);
      },
      onFailure({ key }, { message }) {
        if (failures.length < MOST_FAILURES_SHOWN) failures.push({ key, message });
      },
    });
  } catch (error) {
    screen.progress(undefined);
    if (last?.next !== undefined) screen.note(`${amounts(last)} Go on with --cursor ${last.next}`);
    throw error;
  }
  screen.progress(undefined);
  if (screen.isJson) screen.json({ ...last, next: last.next ?? null, failures });
  else show(last, failures, context);
  return last.failed > 0 || last.newer > 0 ? 1 : 0;
}

function show(
  done: ClaimsCopy,
  failures: readonly { readonly key: string; readonly message: string }[],
  { screen }: Context,
): void {
  const { failed, running, withoutResult, unreadable, newer, next } = done;
  screen.line(amounts(done));
  for (const { key, message } of failures)
    screen.note(`Not copied: ${escapeControls(key)}: ${escapeControls(message)}`);
  if (failed > failures.length) screen.note(`… and ${plural(failed - failures.length, 'more claim')}`);
  if (withoutResult > 0)
    screen.note(
      `${plural(withoutResult, 'claim')} copied without a result that is too long for the other store.`,
    );
  if (unreadable > 0)
    screen.note(
      `Skipped ${plural(unreadable, 'row')} that ${unreadable === 1 ? 'is not a claim' : 'are not claims'}.`,
    );
  if (newer > 0) screen.note(newerNote(newer));
  if (running > 0) {
    screen.note(
      `${plural(running, 'claim')} ${running === 1 ? 'was' : 'were'} running, and will ` +
        'end in the first store only. Stop the consumers, and run this again.',
    );
  }
  if (next !== undefined) screen.note(`Stopped. Go on with --cursor ${next}`);
}

function newerNote(newer: number): string {
  return (
    `Not copied: ${plural(newer, 'row')} of a newer format. Copy with the ` +
    `version of batchlatch that wrote ${newer === 1 ? 'it' : 'them'}.`
  );
}

function amounts({ copied, present }: ClaimsCopy): string {
  return (
    `Copied ${plural(copied, 'claim')}; ${formatNumber(present)} ` +
    `${present === 1 ? 'was' : 'were'} there already.`
  );
}
