import { type CompletedMessages, redriveDeadLetters, type RedriveResult } from 'batchlatch/operations';
import { plannedMessages } from '../../console/planned-messages.ts';
import { ask, assertCanAsk, type Consent } from '../ask.ts';
import { UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import { plural } from '../print/plural.ts';
import { type DeadLetterOptions, type DeadLetters, namesTable, withDeadLetters } from './dead-letters.ts';
import { hasError, type MessageFilter } from './list-dead-letters.ts';
import { withProgress } from './redrive-progress.ts';
import { redriveJson, redriveStatus, reportRedrive } from './report-redrive.ts';

interface RedriveOptions extends DeadLetterOptions, MessageFilter, Consent {
  readonly all?: boolean;
  readonly to?: string;
  readonly completed: CompletedMessages;
  readonly reason?: string;
  readonly operator?: string;
}

/** `dlq redrive` */
export const redriveCommand: Run<RedriveOptions> = (context, options, ids) => {
  if (options.reason === undefined) {
    throw new UsageError(
      'Say why: add --reason "…". It is kept on the claims, for whoever looks at them later.',
    );
  }
  let which = whichOf(ids, options);
  assertCanAsk(options, context);
  if (!namesTable(options, context)) {
    context.screen.note(
      'No claims table is named: a message whose key is parked goes straight back. Add --table NAME.',
    );
  }
  return withDeadLetters(context, options, async (letters) => {
    const { screen } = context;
    const isDry = options.dryRun === true;
    if (!isDry && options.yes !== true) {
      const plan = await redrive(letters, which, options, context, true);
      reportRedrive(plan, context, { isPlan: true });
      if (plan.moved + plan.deleted === 0) {
        if (screen.isJson) screen.json(redriveJson(plan, true));
        return redriveStatus(plan);
      }
      if (!(await ask(`Redrive ${plural(plan.moved + plan.deleted, 'message')}?`, context))) {
        screen.note('Nothing was changed.');
        return 1;
      }
      which = plannedMessages(which, plan);
    }
    const result = await redrive(letters, which, options, context, isDry);
    if (screen.isJson) screen.json(redriveJson(result, isDry));
    else reportRedrive(result, context, { isPlan: isDry });
    if (isDry && !screen.isJson) screen.note('This was a dry run: nothing was changed.');
    return redriveStatus(result);
  });
};

type Which = Parameters<typeof redriveDeadLetters>[1]['which'];

/** Returns which messages to redrive. Default: all. Throws a `UsageError` if they are named in two ways. */
function whichOf(ids: readonly string[], options: RedriveOptions): Which {
  const isFiltered = options.errorName !== undefined || options.errorCode !== undefined;
  const ways = [ids.length > 0, options.all === true, isFiltered].filter(Boolean);
  if (ways.length > 1) {
    throw new UsageError(
      'Name the messages by ids, by --error-name and --error-code, or --all: one of them.',
    );
  }
  if (ids.length > 0) return ids;
  return isFiltered ? (message) => hasError(message, options) : 'all';
}

function redrive(
  { sqs, common }: DeadLetters,
  which: Which,
  options: RedriveOptions,
  context: Context,
  dryRun: boolean,
): Promise<RedriveResult> {
  const { to, completed, reason = '', operator = context.operator() } = options;
  return withProgress(context, (onProgress) =>
    redriveDeadLetters(sqs, {
      ...common,
      which,
      completed,
      reason,
      operator,
      dryRun,
      onProgress,
      ...(to !== undefined && { destinationUrl: to }),
    }),
  );
}
